# SPDX-License-Identifier: ISC
"""
Reads tree-sitter queries, such as (function_item name: (identifier) @name (#eq? @name "main")),
into rules of ast-grep. Anchors and predicates that are not in PREDICATES are refused.
"""

import re

from tool import fail

TOKEN = re.compile(r'\s+|;[^\n]*|("(?:[^"\\]|\\.)*"|[()\[\]]|[A-Za-z_]\w*:|@[\w.-]+|#[\w-]+[?!]|[A-Za-z_]\w*|!\w+|[?*+.])')
MAX_TOKENS = 2000
MAX_DEPTH = 50


class Query:
    def __init__(self, text):
        self.tokens = []
        self.captures = {}  # name: rule of the node
        self.depth = 0
        at = 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                fail(f"the query has {text[at : at + 20]!r}, which is not of a tree-sitter query")
            if match[1]:
                self.tokens.append(match[1])
            at = match.end()
        if len(self.tokens) > MAX_TOKENS:
            fail(f"the query is too long: {MAX_TOKENS} words and parentheses at most")

    def peek(self):
        return self.tokens[0] if self.tokens else ""

    def take(self):
        if not self.tokens:
            fail('the query ends too early: a ")" or "]" is missing')
        return self.tokens.pop(0)

    def until(self, end, read):
        """What read() returns, again and again up to the word end."""
        parts = []
        while self.peek() != end:
            parts.append(read())
        self.take()
        return parts

    def rule(self):
        """The rule of the whole query: any of its patterns."""
        patterns = []
        while self.tokens:
            patterns.append(self.node())
        if not patterns:
            fail("the query is empty: (function_definition) finds all nodes of that kind")
        return patterns[0] if len(patterns) == 1 else {"any": patterns}

    def node(self):
        """A node, or a list of alternatives, with its captures."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            fail(f"the query is nested too deeply: {MAX_DEPTH} levels at most")
        word = self.take()
        if word == "(":
            rule = self.group()
        elif word == "[":
            rule = {"any": self.until("]", self.node)}
        elif word[0] == '"':
            rule = {"kind": unquoted(word)}
        elif word == "_":
            rule = {"regex": ""}
        else:
            fail(f'the query has {word!r} where a node begins: nodes are "(kind ...)", "[...]", a text or _')
        while self.peek()[:1] == "@":
            self.captures[self.take()] = rule
        self.depth -= 1
        return rule

    def group(self):
        """A node behind its "(": its kind, then children and predicates; or a node and predicates."""
        if self.peek() in ("(", "["):
            rule = {"any": [self.node()]}
        else:
            kind = self.take()
            rule = {"regex": ""} if kind == "_" else {"kind": kind}
            if not re.fullmatch(r"\w+", kind):
                fail(f"the query has {kind!r} where the kind of a node is, such as function_definition")
        rule["all"] = []
        self.until(")", lambda: self.part(rule["all"]))
        if not rule["all"]:
            del rule["all"]
        return rule

    def part(self, conditions):
        """A child of a node, or a predicate."""
        word = self.peek()
        if word[:1] == "!":
            conditions.append({"not": {"has": {"field": self.take()[1:], "regex": ""}}})
        elif word == "(" and self.tokens[1:2] and self.tokens[1][0] == "#":
            self.predicate()
        elif word == ".":
            fail("an anchor (.) in a query is not possible here: give pattern instead, such as 'f($A, $$$REST)'")
        else:
            field = {"field": self.take()[:-1]} if word[-1:] == ":" else {}
            child = self.node()
            child.update(field)
            quantifier = self.take() if self.peek() in ("?", "*", "+") else ""
            if quantifier in ("", "+"):  # else the child may be missing
                conditions.append({"has": child})

    def predicate(self):
        self.take()
        name = self.take()
        capture = self.take()
        texts = self.until(")", lambda: unquoted(self.take()))
        if name[1:-1] not in PREDICATES:
            fail(f"{name} in a query is not possible here, only #eq?, #not-eq?, #match?, #not-match? and #any-of?")
        if capture not in self.captures or not texts:
            fail(f"{name} needs a capture of the query before it, such as @name, and a text")
        self.captures[capture].setdefault("all", []).append(PREDICATES[name[1:-1]](texts))


def unquoted(word):
    if word[0] != '"':
        fail(f"the query has {word!r} where a text is: write it in double quotes")
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), word[1:-1])


def is_one_of(texts):
    return {"regex": "^(?:" + "|".join(map(re.escape, texts)) + ")$"}


PREDICATES = {
    "eq": is_one_of,
    "any-of": is_one_of,
    "not-eq": lambda texts: {"not": is_one_of(texts)},
    "match": lambda texts: {"regex": texts[0]},
    "not-match": lambda texts: {"not": {"regex": texts[0]}},
}
