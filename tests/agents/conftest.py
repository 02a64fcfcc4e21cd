"""An agent for a test, or for all tests that look at the same run of it."""

import contextlib

import pytest

from agents import AGENTS, why_not
from model_server import Model


@contextlib.contextmanager
def stage(name, root, model):
    """An agent by name; skipped with a reason where it is not installed."""
    if why := why_not(name):
        pytest.skip(why)
    agent = AGENTS[name](root, model)
    try:
        yield agent
    finally:
        agent.close()


@pytest.fixture
def model():
    with contextlib.closing(Model({"text": "done"})) as m:
        yield m


@pytest.fixture
def start(tmp_path_factory, model):
    """Makes an agent by name."""
    with contextlib.ExitStack() as stack:
        yield lambda name: stack.enter_context(stage(name, tmp_path_factory.mktemp(name), model))


WAYS = {
    "claude": ("claude", False),
    "claude-with-daemon": ("claude", True),
    "codex": ("codex", False),
    "codex-with-daemon": ("codex", True),
    "gemini": ("gemini", False),
    "gemini-with-daemon": ("gemini", True),
    "opencode": ("opencode", False),  # starts one itself
}


@pytest.fixture(scope="module", params=WAYS)
def hooked(request, tmp_path_factory):
    """Each agent with hooke in it, with and without a daemon that runs already: one for all tests of
    a module, which says by `prepare` what is done with it before any of them looks."""
    name, daemon = WAYS[request.param]
    root = tmp_path_factory.mktemp(name)
    with contextlib.closing(Model({"text": "done"})) as model, stage(name, root, model) as agent:
        agent.install()
        if daemon:
            agent.serve()
        request.module.prepare(agent)
        yield agent
