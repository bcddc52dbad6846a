"""Runs of workflows, their jobs and logs, and check runs."""

from typing import Any, TypeAlias

from tests.hub.answers.code import commit_at
from tests.hub.calls import Answer, Call, Refused, invalid, route
from tests.hub.world import Check, Job, Run

Json: TypeAlias = Any
READ = "actions=read"
LONGEST_OUTPUT = 65_535
WORKFLOW = 161335


def run_of(call: Call) -> Run:
    """Return the run in the path."""
    found = call.world.runs.get(call.number("run_id"))
    if found is None or call.number("run_id") != found.id:
        raise Refused(404, "Not Found")
    return found


def job_of(call: Call) -> Job:
    """Return the job in the path."""
    for run in call.world.runs.values():
        for job in run.jobs:
            if job.id == call.number("job_id"):
                return job
    raise Refused(404, "Not Found")


@route("GET", "/actions/runs", READ)
def runs(call: Call) -> Answer:
    """Runs, newest first."""
    wanted = {"branch": "branch", "event": "event", "head_sha": "sha"}
    found = [
        entry
        for entry in call.world.runs.values()
        if all(getattr(entry, field) == call.query[name] for name, field in wanted.items() if name in call.query)
        and call.query.get("status") in (None, entry.conclusion, "completed" if entry.conclusion else "in_progress")
    ]
    return call.listing(found[::-1], call.shapes.run, "workflow_runs")


@route("GET", "/actions/runs/{run_id}", READ)
def run(call: Call) -> Answer:
    """One of them."""
    return Answer(200, call.shapes.run(run_of(call)))


@route("GET", "/actions/runs/{run_id}/attempts/{attempt_number}", READ)
def attempt(call: Call) -> Answer:
    """One try of a run."""
    found = run_of(call)
    if call.number("attempt_number") > found.attempt:
        raise Refused(404, "Not Found")
    return Answer(200, call.shapes.run(found) | {"run_attempt": call.number("attempt_number")})


@route("GET", "/actions/runs/{run_id}/jobs", READ)
def jobs(call: Call) -> Answer:
    """Jobs of the last try, or of all."""
    found = run_of(call)
    every = call.query.get("filter") == "all"
    return call.listing([job for job in found.jobs if every or job.attempt == found.attempt], call.shapes.job, "jobs")


@route("GET", "/actions/runs/{run_id}/attempts/{attempt_number}/jobs", READ)
def jobs_of_attempt(call: Call) -> Answer:
    """Jobs of one try."""
    found = [job for job in run_of(call).jobs if job.attempt == call.number("attempt_number")]
    if not found:
        raise Refused(404, "Not Found")
    return call.listing(found, call.shapes.job, "jobs")


@route("GET", "/actions/runs/{run_id}/artifacts", READ)
def artifacts(call: Call) -> Answer:
    """Nothing is kept here."""
    run_of(call)
    return Answer(200, {"total_count": 0, "artifacts": []})


@route("GET", "/actions/jobs/{job_id}", READ)
def job(call: Call) -> Answer:
    """A job."""
    return Answer(200, call.shapes.job(job_of(call)))


@route("GET", "/actions/jobs/{job_id}/logs")
def log(call: Call) -> Answer:
    """Where its log lies, outside the interface; of a private repository only who may read actions is told."""
    call.demand(READ)
    found = job_of(call)
    if found.conclusion is None:
        raise Refused(404, "Not Found")
    if found.log is None:
        raise Refused(410, "Server Error")
    return Answer(302, None, (("Location", f"{call.logs}/logs/{found.id}?sig=signed"),))


@route("GET", "/actions/workflows", READ)
def workflows(call: Call) -> Answer:
    """The workflow that all runs are of."""
    return call.listing([WORKFLOW], lambda _: _workflow(call), "workflows")


@route("GET", "/actions/workflows/{workflow_id}", READ)
def workflow(call: Call) -> Answer:
    """One workflow."""
    return Answer(200, _workflow(call))


@route("POST", "/actions/workflows/{workflow_id}/dispatches", "actions=write")
def dispatch(call: Call) -> Answer:
    """Start a workflow by hand."""
    if call.world.store.resolve(call.body["ref"]) is None:
        raise Refused(422, f"No ref found for: {call.body['ref']}")
    call.world.dispatches.append({"workflow": call.params["workflow_id"], **call.body})
    return Answer(204)


def _workflow(call: Call) -> Json:
    here = f"{call.shapes.url}/actions/workflows/{WORKFLOW}"
    return {
        "id": WORKFLOW, "node_id": "W_1", "name": "CI", "path": ".github/workflows/ci.yml", "state": "active",
        "created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z", "url": here, "html_url": here,
        "badge_url": here,
    }  # fmt: skip


@route("POST", "/check-runs", "checks=write")
def make_check(call: Call) -> Answer:
    """Begin or finish a check of a commit; a conclusion says that it is finished."""
    body, world = call.body, call.world
    if world.store.resolve(body["head_sha"]) is None:
        raise Refused(422, f"No commit found for SHA: {body['head_sha']}")
    made = Check(world.fresh(), body["name"], body["head_sha"], {}, started=world.now())
    _tell(call, made)
    world.checks[made.id] = made
    return Answer(201, call.shapes.check(made))


@route("PATCH", "/check-runs/{check_run_id}", "checks=write")
def edit_check(call: Call) -> Answer:
    """Say more; annotations are added to those that are there."""
    found = check_of(call)
    found.name = call.body.get("name", found.name)
    _tell(call, found)
    return Answer(200, call.shapes.check(found))


def check_of(call: Call) -> Check:
    """Return the check run in the path."""
    found = call.world.checks.get(call.number("check_run_id"))
    if found is None:
        raise Refused(404, "Not Found")
    return found


def _tell(call: Call, check: Check) -> None:
    output = call.body.get("output", {})
    for name in ("summary", "text"):
        if len((output.get(name) or "").encode()) > LONGEST_OUTPUT:
            raise invalid("CheckRun", name, "custom", f"{name} exceeds a maximum bytesize of {LONGEST_OUTPUT}")
    check.told = {**check.told, **call.body}
    if "conclusion" in call.body:
        check.told["status"] = "completed"
    if check.told.get("status") == "completed":
        check.completed = call.world.now()
    check.annotations += output.get("annotations", [])


@route("GET", "/check-runs/{check_run_id}", "checks=read")
def check(call: Call) -> Answer:
    """One of them."""
    return Answer(200, call.shapes.check(check_of(call)))


@route("GET", "/check-runs/{check_run_id}/annotations", "checks=read")
def annotations(call: Call) -> Answer:
    """What a check remarks on lines."""
    return call.listing(check_of(call).annotations, call.shapes.annotation)


@route("GET", "/commits/{ref}/check-runs", "checks=read")
def checks(call: Call) -> Answer:
    """All checks of a commit."""
    sha = commit_at(call, call.params["ref"]).sha
    name = call.query.get("check_name")
    found = [entry for entry in call.world.checks.values() if entry.sha == sha and name in (None, entry.name)]
    return call.listing(found, call.shapes.check, "check_runs")
