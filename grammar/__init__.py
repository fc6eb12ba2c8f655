"""The grammar of the language and the words for its terminals."""
