"""Records how transformers renders conversations with the chat template of a Qwen3.5 checkpoint.

    python tools/oracle/make_chat.py chat_template.jinja model/testdata/chat.json

The template is not part of this repository; it comes with every checkpoint of the family. Its SHA-256 is
recorded, with the versions of the packages.
"""

import hashlib
import json
import pathlib
import sys

import jinja2
import transformers
from transformers.utils.chat_template_utils import render_jinja_template

ADD = {"type": "function", "function": {
    "name": "compute", "description": "Evaluates an expression, exactly. Größe: ≤ 8 \"values\".\n",
    "parameters": {"type": "object", "required": ["expression"], "properties": {
        "expression": {"type": "string", "description": "e.g. [1, 2] @ [3, 4]"},
        "limit": {"type": "number", "default": 0.5, "minimum": -3, "examples": [1.0, 1e16, 1e-7, 100]},
        "exact": {"type": "boolean", "default": True, "x": None, "\u0001": "\t\u007f/"}}}}}
RUN = {"type": "function", "function": {"name": "run", "parameters": {"type": "object", "properties": {}}}}


def user(content):
    return {"role": "user", "content": content}


def tool(content):
    return {"role": "tool", "content": content}


def assistant(content, *calls, **more):
    message = {"role": "assistant", "content": content, **more}
    if calls:
        message["tool_calls"] = [
            {"type": "function", "function": {"name": n, "arguments": a}} for n, a in calls]
    return message


SYSTEM = {"role": "system", "content": "  You compute. \n"}
CALL = ("compute", {"expression": "[1, 2] @ [3, 4]"})
CASES = [
    ([user("Hi")], []),
    ([user("  Hi\n\n")], [ADD]),
    ([SYSTEM, user("Hi"), assistant("Hello"), user("What is\n2 + 3?")], []),
    ([SYSTEM, user("Hi"), assistant("Hello", reasoning_content="a greeting"), user("And?")], [ADD, RUN]),
    ([{"role": "system", "content": " \n "}, user("Hi")], [ADD]),
    ([{"role": "system", "content": ""}, user("Hi")], []),
    ([user("dot?"), assistant("", CALL), tool("11")], [ADD]),
    ([user("dot?"), assistant("Let me see.", CALL, reasoning_content="\nuse the tool\n"), tool(" 11 ")], [ADD]),
    ([user("dot?"), assistant("Let me see.", CALL, CALL, ("run", {})), tool("11"), tool("11"), tool(""),
      assistant("It is 11.", reasoning_content="done"), user("Thanks"), assistant("Welcome")], [ADD, RUN]),
    ([user("x"), assistant("", ("compute", {
        "expression": "1 <\n 2", "limit": 3, "exact": True, "no": False, "none": None, "f": 1.5,
        "g": 1e22, "h": 1.0, "list": [1, "é", None, True, 2.5], "map": {"b": 1, "a": [1e-7]}, "empty": {},
        "text": ""}))], [ADD]),
    ([user("a"), assistant("b", CALL), tool("c"), assistant("d"), assistant("e"), user("f"),
      assistant("g", reasoning_content=" kept "), tool("h"), assistant("i", CALL)], []),
    ([user("<tool_response>\nx\n</tool_response>"), user("q"), assistant("r", reasoning_content="s"),
      user("<tool_response>\ny\n</tool_response>"), assistant("t", reasoning_content="u")], []),
    ([user("\u3000\u00a0 wide \u2003\x1c"), assistant("\u200b kept \u0085")], []),
]
REFUSED = [
    ([], []), ([SYSTEM], []), ([user("<tool_response></tool_response>")], []), ([user("a"), SYSTEM], []),
]


def render(template, messages, tools, thinking, generation_prompt):
    texts, _ = render_jinja_template(
        [messages], tools=tools or None, chat_template=template, enable_thinking=thinking,
        add_generation_prompt=generation_prompt)
    return texts[0]


def main(template_file, out):
    template = template_file.read_text()
    cases = []
    for i, (messages, tools) in enumerate(CASES):
        thinking, generation_prompt = i % 2 == 1, i % 5 != 4
        cases.append({"messages": messages, "tools": tools, "thinking": thinking,
                      "generation_prompt": generation_prompt,
                      "text": render(template, messages, tools, thinking, generation_prompt)})
    for messages, tools in REFUSED:
        try:
            render(template, messages, tools, False, True)
        except Exception as error:
            cases.append({"messages": messages, "tools": tools, "refused": str(error)})
    record = {"versions": {"transformers": transformers.__version__, "jinja2": jinja2.__version__},
              "template_sha256": hashlib.sha256(template.encode()).hexdigest(), "cases": cases}
    out.write_text(json.dumps(record, indent=1) + "\n")
    print(len(cases), "conversations")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
