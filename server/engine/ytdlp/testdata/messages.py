# Prints, as a JSON list, the messages that the source of the installed yt-dlp can give to a user
# about a video: of the extractor of the video site, and of the code that all extractors share.
# What the program puts into a message is "{}". Each message stands in the list once.
import ast
import json
import os
import re
import sys

import yt_dlp

SOURCES = [
    'extractor/youtube', 'extractor/youtube.py', 'extractor/generic.py', 'extractor/common.py',
    'downloader/common.py', 'downloader/fragment.py', 'downloader/hls.py', 'downloader/http.py', 'downloader/dash.py',
    'networking', 'utils/networking.py', 'YoutubeDL.py',
]
SPEAKERS = {
    'report_warning', 'report_error', 'trouble', 'warning', 'error',
    'raise_no_formats', 'raise_login_required', 'raise_geo_restricted', 'report_drm',
}
ASSEMBLE = re.compile('youtube|networking/exceptions|extractor/common')  # other sources keep texts for other ends
UNHEARD = {'write_debug', 'debug', 'trace', 'info', 'to_screen', 'report_info', '_download_webpage', '_download_json', '_call_api', '_extract_response'}
ENDS = re.compile('(Error|Exception|NotLive|Required|Warning)$')


def template(node):
    """The text of an expression, with {} for what is not known before a run; None: it is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return ''.join(part.value if isinstance(part, ast.Constant) else '{}' for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        left = template(node.left)
        return left and re.sub(r'%(\(\w+\))?[-\d.]*[srdif]', '{}', left)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = template(node.left), template(node.right)
        return ''.join('{}' if side is None else side for side in sides) if any(sides) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == 'format':
            text = template(node.func.value)
            return text and re.sub(r'\{[^{}]*\}', '{}', text)
        if node.func.attr == 'join' and node.args and isinstance(node.args[0], (ast.Tuple, ast.List)):
            parts = [template(part) for part in node.args[0].elts]
            return (template(node.func.value) or '').join('{}' if part is None else part for part in parts) if any(parts) else None
        return template(node.func.value) if node.func.attr in ('strip', 'rstrip', 'replace') else None
    return None


def variants(node):
    """The texts that an expression can have."""
    if isinstance(node, ast.IfExp):
        return variants(node.body) + variants(node.orelse)
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in variants(value)]
    text = template(node)
    return [text] if text else []


def messages(tree):
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, 'attr', getattr(node.func, 'id', ''))
        if name not in SPEAKERS and not ENDS.search(name):
            continue
        said = list(node.args[:2]) + [word.value for word in node.keywords if word.arg in ('msg', 'message', 'errnote', 'expected_message')]
        for text in (text for one in said for text in variants(one)):
            text = ' '.join(text.split())
            if re.search('[A-Za-z]{3,}.* ', text) and text.isprintable():  # a sentence, not the name of something
                yield text


def assembled(tree):
    """The texts in functions that are kept for a message: assigned, returned or added."""
    for function in ast.walk(tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        parameters = function.args
        for name, default in zip((parameters.args + parameters.kwonlyargs)[::-1], (parameters.defaults + parameters.kw_defaults)[::-1]):
            if name.arg in ('msg', 'message') and default is not None:
                yield from (' '.join(text.split()) for text in variants(default) if ' ' in text)
        for node in ast.walk(function):
            if isinstance(node, (ast.Assign, ast.AugAssign, ast.Return, ast.NamedExpr)) and node.value:
                whole = variants(node.value)
            elif isinstance(node, ast.Call) and getattr(node.func, 'attr', '') not in UNHEARD:
                whole = [text for one in node.args for text in variants(one)]
            else:
                continue
            for text in whole:
                text = ' '.join(text.split())
                if len(text.split()) > 3 and text.isprintable() and re.match('[^(?<\\\\]*$', text.replace('(', '', 1)):
                    yield text


def files():
    root = os.path.dirname(yt_dlp.__file__)
    for source in SOURCES:
        path = os.path.join(root, source)
        if os.path.isfile(path):
            yield path
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names if name.endswith('.py'))


said = set()
for path in files():
    with open(path, encoding='utf-8') as source:
        tree = ast.parse(source.read())
    said.update(messages(tree))
    if ASSEMBLE.search(path):
        said.update(assembled(tree))
json.dump({'release': yt_dlp.version.__version__, 'messages': sorted(said)}, sys.stdout, indent=0, ensure_ascii=False)
