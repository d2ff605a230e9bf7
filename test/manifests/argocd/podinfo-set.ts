import { ApplicationSet as ApplicationSetModel } from '@kubernetes-models/argo-cd/argoproj.io/v1alpha1/ApplicationSet';
import type { ApplicationSetProps, ApplicationTemplate, Generator } from '../../../lib/manifests/argocd';
import { ApplicationSet, generators } from '../../../lib/manifests/argocd';
import type { Manifest } from './synth';
import { objectOf, pathsOf, problemsOf } from './synth';

/** A template that any generator of clusters can fill in. */
export const template: ApplicationTemplate = {
  metadata: { name: '{{.nameNormalized}}-podinfo' },
  spec: {
    project: 'apps',
    source: { repoURL: 'https://github.com/stefanprodan/podinfo', path: 'kustomize' },
    destination: { name: '{{.name}}', namespace: 'podinfo' },
  },
};

/** The template under another name. */
export const named = (name: string): ApplicationTemplate => ({ ...template, metadata: { name } });

/** A template that any generator can fill in, since it reads nothing of it. */
export const unread: ApplicationTemplate = {
  metadata: { name: '{{ randAlpha 5 | lower }}-podinfo' },
  spec: { ...template.spec, destination: { name: 'workloads', namespace: 'podinfo' } },
};

/** The clusters of the talk's scenario. */
export const production = generators.clusters({ selector: { matchLabels: { env: 'production' } } });

/** An ApplicationSet that nothing is wrong with. */
export const podinfo: ApplicationSetProps = { name: 'podinfo', generators: [production], template };

/** A list of clusters. */
export const list = (...names: string[]) =>
  generators.list({ elements: names.map((cluster) => ({ cluster })) });

/** Directories of a repository. */
export const git = (pathParamPrefix?: string) =>
  generators.git({
    repoURL: 'https://git.example.com/a',
    directories: [{ path: 'apps/*' }],
    pathParamPrefix,
  });

/** An ApplicationSet with some things changed: with other generators, what they give is not read. */
const changed = <P extends object>(props: P) => ({
  ...podinfo,
  ...('generators' in props ? { template: unread } : {}),
  ...props,
});

/** The object of an ApplicationSet with some things changed, valid by the resource definition. */
export function applicationSet(props: Partial<ApplicationSetProps>): Manifest {
  const object: Manifest = objectOf((chart) => new ApplicationSet(chart, 'set', changed(props)));
  new ApplicationSetModel(object).validate();
  return object;
}

/** A generator as it stands in the manifest. */
export const generated = (generator: Generator): Manifest =>
  applicationSet({ generators: [generator] }).spec.generators[0];

/** What is wrong with an ApplicationSet. */
export const wrong = (props: object) =>
  problemsOf((chart) => new ApplicationSet(chart, 'set', changed(props)));

/** The paths of what is wrong with an ApplicationSet. */
export const wrongPaths = (props: object) =>
  pathsOf((chart) => new ApplicationSet(chart, 'set', changed(props)));
