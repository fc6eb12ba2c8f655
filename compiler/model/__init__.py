"""The tree as meant: every name is resolved, every value typed. Later phases never meet an unresolved name.

All mappings are keyed by name, in the order of declaration. `Span`s point to the place that a message should show.
"""

from mcpx.compiler.model.conditions import (
    Compare,
    Condition,
    Constant,
    IsTrue,
    Junction,
    Member,
    Not,
    Operand,
    OwnProperty,
    Present,
    RunField,
)
from mcpx.compiler.model.facts import Field, FieldType, Property, PropertyValue, Scalar, Tag
from mcpx.compiler.model.program import Program
from mcpx.compiler.model.relations import SESSION, Agent, CedarText, CredentialLine, Group, Rule, SessionCredential
from mcpx.compiler.model.servers import Argument, Header, Meta, Server, SessionKey, Url, Way
from mcpx.compiler.model.sources import (
    CredentialSource,
    EnvSource,
    FileSource,
    ProviderSource,
    Secret,
    SecretSource,
    Setting,
)
from mcpx.compiler.model.tests import DeniedExpected, Expectation, HeaderExpected, RefusalExpected, Sent, Test
from mcpx.compiler.model.tokens import Claim, Grant, Token
from mcpx.compiler.model.values import (
    CredentialPart,
    FieldPart,
    Part,
    SecretPart,
    SettingPart,
    TextPart,
    TokenPart,
    UrlPart,
)

__all__ = [
    "SESSION",
    "Agent",
    "Argument",
    "CedarText",
    "Claim",
    "Compare",
    "Condition",
    "Constant",
    "CredentialLine",
    "CredentialPart",
    "CredentialSource",
    "DeniedExpected",
    "EnvSource",
    "Expectation",
    "Field",
    "FieldPart",
    "FieldType",
    "FileSource",
    "Grant",
    "Group",
    "Header",
    "HeaderExpected",
    "IsTrue",
    "Junction",
    "Member",
    "Meta",
    "Not",
    "Operand",
    "OwnProperty",
    "Part",
    "Present",
    "Program",
    "Property",
    "PropertyValue",
    "ProviderSource",
    "RefusalExpected",
    "Rule",
    "RunField",
    "Scalar",
    "Secret",
    "SecretPart",
    "SecretSource",
    "Sent",
    "Server",
    "SessionCredential",
    "SessionKey",
    "Setting",
    "SettingPart",
    "Tag",
    "Test",
    "TextPart",
    "Token",
    "TokenPart",
    "Url",
    "UrlPart",
    "Way",
]
