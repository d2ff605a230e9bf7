import { oneOf, Problems } from '../problems';
import type { Addon, AddonCluster } from './addon';
import { helmfileLabel } from './helmfile';

/**
 * What a person does to bring an add-on of Argo CD's back to Pulumi, or to a helmfile: nothing of it is done by itself,
 * since Helm takes over objects only when it is told to. The objects stay all the while, and so do their pods where version
 * and values are the same.
 *
 * @param addon the add-on
 * @param cluster the slot that it is on: `apps.slots.blue.addonDestination`
 * @param to who is to deliver it
 * @throws InvalidInput for an add-on that is no chart: only Pulumi delivers it
 * @see https://helm.sh/docs/helm/helm_upgrade
 *
 * @example
 * addons.stepsBack(list[0], apps.slots.blue.addonDestination).forEach((step) => console.log(step));
 */
export function stepsBack(
  addon: Addon,
  cluster: AddonCluster,
  to: 'pulumi' | 'helmfile' = 'pulumi',
): readonly string[] {
  const release = addon.release?.(cluster);
  const problems = new Problems('Steps back');
  problems.check('to', to, oneOf('pulumi', 'helmfile'));
  if (!release) {
    problems.add('addon', addon.name, 'an add-on from a chart: nothing else has left Pulumi');
  }
  problems.throwIfAny();
  const { releaseName, namespace } = release!;
  const forget = `kubectl --namespace ${namespace} delete secret --selector owner=helm,name=${releaseName}`;
  return to === 'pulumi'
    ? [
        `1. On the cluster of ${cluster.name}, let Helm forget an older release of that name. Its record is all that goes: ${forget}`,
        `2. In the program, with the version and the values that Argo CD has: ${addon.name} without deliveredBy, and with ` +
          'releaseArgs: { takeOwnership: true, atomic: false }. Run pulumi up: the Application goes, its objects stay, and ' +
          'Helm takes them over. (With atomic, an installation that fails would uninstall them.)',
        '3. Take these releaseArgs out again, and run pulumi up.',
      ]
    : [
        `1. In the program, ${addon.name} with deliveredBy: 'helmfile'. Run pulumi up: the Application goes, its objects stay. ` +
          'Write the helmfile with addonsHelmfile.',
        `2. On the cluster of ${cluster.name}, let Helm forget an older release of that name. Its record is all that goes: ${forget}`,
        `3. With the version and the values that Argo CD had: helmfile sync --selector ${helmfileLabel}=${addon.name} --take-ownership`,
      ];
}
