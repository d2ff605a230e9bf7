import { Field } from '../../object';
import type { ManifestObject } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding, Rule } from '../../rule';
import { applicationSpecs } from '../../views/applications';
import type { ApplicationSpecView } from '../../views/applications';
import { trustingObjects } from '../../views/trust';

/** @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#replace-resource-instead-of-applying-changes */
export const git02: Rule = {
  id: 'GIT02',
  severity: 'error',
  title: 'A sync that takes the injected CA away',
  why: 'replacing a webhook configuration, or deleting and making it again, drops the CA that was injected: until it is injected again, every request that it matches is refused',
  fix: 'leave out Replace and Force for what CAs are injected into; ServerSideApply=true is for large objects',
  *check({ objects }) {
    for (const { object } of objects.view(trustingObjects)) {
      yield* evaluateObject(object);
    }
    for (const application of objects.view(applicationSpecs)) {
      yield* evaluateApplication(objects, application);
    }
  },
};

const harmful = new Set(['Replace=true', 'Force=true']);

/** Options of one object are in an annotation, with commas between them. */
function* evaluateObject(object: ManifestObject): Iterable<RawFinding> {
  const field = Field.of(object).get('metadata', 'annotations', 'argocd.argoproj.io/sync-options');
  const options = (field.text ?? '').split(',').map((each) => each.trim());
  const found = options.filter((each) => harmful.has(each));
  if (found.length > 0) {
    yield { object, pointer: field.pointer, message: `it is synchronised with ${found.join(' and ')}` };
  }
}

function* evaluateApplication(objects: ObjectIndex, application: ApplicationSpecView): Iterable<RawFinding> {
  const { object, spec } = application;
  for (const option of spec.get('syncPolicy', 'syncOptions').items) {
    if (option.text === 'Replace=true') {
      yield { object, pointer: option.pointer, ...whatItHolds(objects, application, 'replaces everything') };
    } else if (option.text === 'Force=true') {
      yield {
        object,
        pointer: option.pointer,
        severity: 'warning',
        message:
          'Argo CD reads Force=true from the annotation of an object only: here it does nothing, or what was not meant',
      };
    }
  }
  const { templated } = application;
  const options = templated?.spec?.get('syncPolicy', 'syncOptions').texts ?? [];
  if (templated && options.includes('Replace=true')) {
    yield {
      object,
      pointer: templated.field.pointer,
      severity: 'info',
      message: 'templates of its templatePatch, which are not evaluated here, may have it replace everything',
    };
  }
  const operation = Field.of(object).get('operation', 'sync', 'syncStrategy');
  for (const force of [operation.get('apply', 'force'), operation.get('hook', 'force')]) {
    if (force.boolean === true) {
      yield {
        object,
        pointer: force.pointer,
        ...whatItHolds(objects, application, 'deletes and makes again what cannot be changed'),
      };
    }
  }
}

/** Charts with webhooks whose CA is injected. */
const chartsWithWebhooks = new Set(['aws-load-balancer-controller', 'cert-manager']);

/** An error only where it is known that the Application has something that a CA is injected into. */
function whatItHolds(
  objects: ObjectIndex,
  { object, sources }: ApplicationSpecView,
  verb: string,
): Pick<RawFinding, 'message' | 'severity'> {
  const chart = sources.find((source) => chartsWithWebhooks.has(source.chart ?? ''))?.chart;
  if (chart !== undefined) {
    return { message: `it ${verb}, webhook configurations of the chart ${chart} too` };
  }
  const trusting = objects.view(trustingObjects).map((each) => each.object);
  const own = trusting.find((each) => isTrackedBy(each, object.name));
  if (own) {
    return { message: `it ${verb}, ${own.kind} ${own.name} too` };
  }
  return trusting.length > 0
    ? {
        severity: 'warning',
        message: `it ${verb}: ${trusting[0]!.kind} ${trusting[0]!.name} too, if that is among its objects`,
      }
    : {
        severity: 'info',
        message: `it ${verb}: whether webhook configurations are among its objects is not in the manifests`,
      };
}

/** @see https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/ */
function isTrackedBy(object: ManifestObject, application: string): boolean {
  const metadata = Field.of(object).get('metadata');
  const tracking = metadata.get('annotations', 'argocd.argoproj.io/tracking-id').text;
  return (
    tracking?.startsWith(`${application}:`) === true ||
    metadata.get('labels', 'app.kubernetes.io/instance').text === application ||
    metadata.get('labels', 'argocd.argoproj.io/instance').text === application
  );
}
