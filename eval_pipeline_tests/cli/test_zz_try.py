import time
from eval_pipeline_tests.endpoint import *
def test_x(tmp_path, new_dagster_url):
    from eval_pipeline_tests.cli.conftest import CommandLine
    cli = CommandLine(tmp_path, new_dagster_url())
    with serving() as e:
        cli.write({"models.yaml": MODELS, **set_file("acme.a"), **set_file("acme.b")})
        for args in (["run","acme.a"],["run","acme.a","--json"],["run","acme.a","--confidence","nan"],["results","list"],["run","acme.a","--against","99999999999999999999999"]):
            t=time.time(); r=cli(*args, LIVE_URL=e.url); print(args, r.status, time.time()-t); print(r.stdout[-3000:], r.stderr[-600:])
        t=time.time(); cli.all_of({str(i):["run",f"acme.{'ab'[i%2]}"] for i in range(6)}, LIVE_URL=e.url); print("6 par", time.time()-t)
