import { ApiObject, JsonPatch } from 'cdk8s';
import type { IConstruct } from 'constructs';
import { InvalidInput, refuseOptions } from '../../problems';
import type { Change } from '../change';
import { judgedObject } from '../judged-object';
import { mendValues } from '../mending/mend-values';
import type { Hardening } from './harden';
import type { HardenOptions } from './options';
import { judgementOf, hardenOptionsKeys, outcomeProblems } from './options';

/**
 * Hardens every object below a construct, those of included manifests and charts too, as {@link harden} does a text. The
 * changes are JSON patches of the objects, so call it last: an object that is made later is not seen.
 *
 * @throws InvalidInput with what is wrong with decisions, or comes of them
 *
 * @example
 * const app = new App();
 * const chart = new Chart(app, 'gate');
 * new Include(chart, 'rendered', { url: 'gate.yaml' });
 * hardenConstructs(app);
 * app.synth();
 */
export function hardenConstructs(scope: IConstruct, options: HardenOptions = {}): Hardening {
  refuseOptions('hardenConstructs', options, hardenOptionsKeys);
  const found = scope.node
    .findAll()
    .filter((construct) => ApiObject.isApiObject(construct))
    .flatMap((construct) => {
      const object = judgedObject(construct.toJson() as unknown);
      return object ? [{ construct, object }] : [];
    });
  const objects = found.map(({ object }) => object);
  const judgement = judgementOf(objects, options);
  if (judgement.problems.length > 0) {
    throw new InvalidInput('manifests', judgement.problems);
  }
  const { beside } = judgement;
  const mending = mendValues(objects, beside, judgement.options);
  const outcome = outcomeProblems(
    judgement,
    [...objects, ...beside],
    mending.after,
    (each) => mendValues(objects, beside, each).after,
  );
  if (outcome.length > 0) {
    throw new InvalidInput('manifests', outcome);
  }
  for (const { construct, object } of found) {
    construct.addJsonPatch(...(mending.changes.get(object) ?? []).map(patchOf));
  }
  return {
    changed: mending.mended,
    left: mending.leftAlone,
    failures: mending.after.failures,
    unmatched: judgement.unmatched,
  };
}

function patchOf(change: Change): JsonPatch {
  switch (change.op) {
    case 'add':
      return JsonPatch.add(change.path, change.value);
    case 'replace':
      return JsonPatch.replace(change.path, change.value);
    case 'remove':
      return JsonPatch.remove(change.path);
  }
}
