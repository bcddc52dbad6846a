import time
from pathlib import Path
import pytest
from tests.app.github.jobs import Runner
from tests.hub.fixtures import hub
from tests.hub.standin import Standin

@pytest.fixture
def runner(hub: Standin, tmp_path: Path) -> Runner:
    return Runner(hub, tmp_path / "rooms")

def test_x(runner):
    a=time.time()
    issue = runner.hub.issue("add subtracts", "add(1, 2) gives -1", "ann")
    print("issue", time.time()-a)
    a=time.time()
    comment = runner.hub.comment(issue.number, "/agent fix", "ann")
    from tests.hub.events import comment_event
    p = comment_event(runner.hub, comment)
    runner.number+=1
    for mode in ("work","publish"):
        a=time.time()
        r=runner.job(mode, "issue_comment", p)
        print(mode, r.code, time.time()-a)
        print(r.err); print(r.out)
    a=time.time()
    runner.hub.pass_time(70)
    issue = runner.hub.issue("add subtracts", "add(1, 2) gives -1", "ann")
    runner.hub.git.git("update-ref","-d","refs/heads/none")
    runner.order(issue,"/agent fix")
    print("2nd", time.time()-a)
    for r in runner.hub.requests: print(r.method, r.path)
