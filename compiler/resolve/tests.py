"""`test` blocks: what is given, what is sent, and what is expected of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors, test_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.scope import Scope, Table
from mcpx.compiler.resolve.types import field_type, misfit
from mcpx.runtime.names import fold

_KEYED_BY_RUN = ("fields", "run")


def resolve_tests(
    tests: Iterable[syntax.Test], servers: Mapping[str, model.Server], scope: Scope, findings: list[Diagnostic]
) -> tuple[model.Test, ...]:
    """Every test of a project; of one in which something is wrong, only what is wrong is kept.

    Args:
        tests: as written.
        servers: those that were resolved; tests of others are left to the findings about these.
        scope: what is declared.
        findings: where everything wrong is put.
    """
    first: dict[str, syntax.Name] = {}
    resolved = []
    for test in tests:
        title = syntax.Name(test.title.value, test.title.span)
        if first.setdefault(title.text, title) is not title:
            findings.append(name_errors.declared_twice("test", title, first[title.text]))
        before = len(findings)
        sends = tuple(_sends(test, servers, scope, findings))
        given = _given(test, sends, servers, scope, findings)
        if len(findings) == before:
            resolved.append(model.Test(title.text, given, sends, title.span))
    return tuple(resolved)


def _given(
    test: syntax.Test,
    sends: Iterable[model.Sent],
    servers: Mapping[str, model.Server],
    scope: Scope,
    findings: list[Diagnostic],
) -> dict[str, model.PropertyValue]:
    lines = [item for item in test.items if isinstance(item, syntax.Given)]
    values = [pair for line in lines for pair in line.values]
    scope.fields.find_all((name for name, _ in values), findings)
    given: dict[str, model.PropertyValue] = {}
    for name, written in values:
        if name.text not in scope.fields.nodes:
            continue
        value = _constant(written)
        kind = field_type(scope.fields.nodes[name.text].type, [])
        why = "expected a list of strings" if value is None else misfit(value, kind)
        if why is not None:
            findings.append(test_errors.given_does_not_fit(name.text, written.span, why))
        if value is not None:
            given[name.text] = value
    named = {name.text for name, _ in values}
    if named or any(_needs_run(sent, servers) for sent in sends):
        missing = [
            name
            for name, field in scope.fields.nodes.items()
            if name not in named and not field.optional and field.default is None
        ]
        if missing:
            findings.append(test_errors.given_too_little(missing, lines[-1].span if lines else test.title.span))
    return given


def _constant(written: syntax.Scalar | syntax.ListLiteral) -> model.PropertyValue | None:
    """The value of a literal; nothing for a list of anything but strings, which no field can have."""
    if not isinstance(written, syntax.ListLiteral):
        return written.value
    items = tuple(item.value for item in written.items if isinstance(item, syntax.StringLiteral))
    return items if len(items) == len(written.items) else None


def _needs_run(sent: model.Sent, servers: Mapping[str, model.Server]) -> bool:
    """Whether a run takes part: in every call, in a session that a run keys, and in what is denied to a run."""
    return (
        not sent.session
        or servers[sent.server].session.kind in _KEYED_BY_RUN
        or any(isinstance(expected, model.DeniedExpected) for expected in sent.expectations)
    )


def _sends(
    test: syntax.Test, servers: Mapping[str, model.Server], scope: Scope, findings: list[Diagnostic]
) -> Iterator[model.Sent]:
    opened: syntax.Send | None = None
    expected: list[syntax.ExpectHeader | syntax.ExpectDenied | syntax.ExpectRefused] = []
    sends: list[tuple[syntax.Send, list[syntax.ExpectHeader | syntax.ExpectDenied | syntax.ExpectRefused]]] = []
    for item in test.items:
        match item:
            case syntax.Given():
                if opened is not None:
                    findings.append(test_errors.out_of_order(item.span, "what is given holds for the whole test"))
            case syntax.Send():
                opened, expected = item, []
                sends.append((opened, expected))
            case _:
                if opened is None:
                    findings.append(test_errors.out_of_order(item.span, "nothing was sent before this"))
                expected.append(item)
    if opened is None:
        findings.append(test_errors.sends_nothing(test.title.span))
    for send, expectations in sends:
        sent = _sent(send, expectations, servers, scope, findings)
        if sent is not None:
            yield sent


def _sent(
    send: syntax.Send,
    expected: list[syntax.ExpectHeader | syntax.ExpectDenied | syntax.ExpectRefused],
    servers: Mapping[str, model.Server],
    scope: Scope,
    findings: list[Diagnostic],
) -> model.Sent | None:
    if not expected:
        findings.append(test_errors.expects_nothing(send.span))
    if send.session and send.argument is not None:
        findings.append(test_errors.session_argument(send.span))
    agent = scope.agents.find(send.agent, findings)
    server = scope.servers.find(send.server, findings)
    _refused_alone(expected, findings)
    if server is None or server not in servers:
        return None
    node = scope.servers.nodes[server]
    argument = _argument(send, node, findings)
    expectations = tuple(_expectation(one, node, scope, findings) for one in expected)
    if agent is None:
        return None
    return model.Sent(send.session, agent, server, argument, expectations, send.span)


def _refused_alone(expected: Iterable[syntax.TestItem], findings: list[Diagnostic]) -> None:
    expected = tuple(expected)
    refused = next((one for one in expected if isinstance(one, syntax.ExpectRefused)), None)
    header = next((one for one in expected if isinstance(one, syntax.ExpectHeader)), None)
    if refused is not None and header is not None:
        findings.append(test_errors.refused_and_more(header.span, refused.span))


def _argument(
    send: syntax.Send, server: syntax.Server, findings: list[Diagnostic]
) -> tuple[str, model.Scalar | tuple[model.Scalar, ...]] | None:
    if send.argument is None:
        return None
    name, written = send.argument
    arguments = {item.name.text: item for item in server.items if isinstance(item, syntax.Argument)}
    Table("argument", arguments).find(name, findings)
    if isinstance(written, syntax.ListLiteral):
        return name.text, tuple(item.value for item in written.items)
    return name.text, written.value


def _expectation(
    one: syntax.ExpectHeader | syntax.ExpectDenied | syntax.ExpectRefused,
    server: syntax.Server,
    scope: Scope,
    findings: list[Diagnostic],
) -> model.Expectation:
    match one:
        case syntax.ExpectHeader():
            return _header_expected(one, server, findings)
        case syntax.ExpectDenied():
            return model.DeniedExpected(scope.fields.find_all(_fields(one.refs, findings), findings), one.span)
        case syntax.ExpectRefused():
            return model.RefusalExpected(one.span)


def _header_expected(
    one: syntax.ExpectHeader, server: syntax.Server, findings: list[Diagnostic]
) -> model.HeaderExpected:
    declared = {item.name.text: item for item in server.items if isinstance(item, syntax.Header)}
    same = next((name for name in declared if fold(name) == fold(one.header.text)), None)
    name = same if same is not None else Table("header of this server", declared).find(one.header, findings)
    if name is not None and one.value is not None:
        source = next((ref for ref in _references(declared[name].value) if ref.parts[0].text != "run"), None)
        if source is not None:
            findings.append(test_errors.unknowable(name, one.value.span, source))
    return model.HeaderExpected(name or one.header.text, _text(one.value), one.absent, one.span)


def _references(value: syntax.Value) -> Iterator[syntax.Ref]:
    if isinstance(value, syntax.Ref):
        yield value
    elif isinstance(value, syntax.Text):
        yield from (part for part in value.parts if isinstance(part, syntax.Ref))


def _text(value: syntax.Scalar | None) -> str | None:
    """A literal as a header carries it."""
    match value:
        case None:
            return None
        case syntax.BoolLiteral():
            return "true" if value.value else "false"
        case _:
            return str(value.value)


def _fields(refs: Iterable[syntax.Ref], findings: list[Diagnostic]) -> Iterator[syntax.Name]:
    for ref in refs:
        if ref.parts[0].text == "run" and len(ref.parts) == 2:
            yield ref.parts[1]
        else:
            findings.append(name_errors.wrong_reference(ref, "`run.FIELD`"))
