import type { Addon, Cluster, Nodegroup } from '@aws-sdk/client-eks';
import { present } from '../../aws/errors';
import { pageOf } from '../../aws/pages';
import type { EksReader, Read } from './reader';

/** What asks EKS alone. */
export type OfEks = EksReader<'eks'>;

/** The cluster itself; undefined where it may not be read. */
export function readCluster(reader: OfEks): Promise<Read<Cluster | undefined>> {
  const call = { action: 'eks:DescribeCluster', subject: reader.place };
  const { clusterName: name } = reader.question;
  return reader.once('cluster', () =>
    reader.one(call, async (options) => {
      const { cluster } = await (await reader.clients.eks()).describeCluster({ name }, options);
      return present(call, 'a cluster', cluster);
    }),
  );
}

/** Its managed node groups. */
export function readNodegroups(reader: OfEks): Promise<Read<readonly Nodegroup[]>> {
  const { clusterName } = reader.question;
  return reader.once('node groups', async () => {
    const names = await reader.list(
      { action: 'eks:ListNodegroups', subject: `node groups of ${reader.place}` },
      async (nextToken, options) =>
        pageOf(
          'nodegroups',
          (await reader.clients.eks()).listNodegroups({ clusterName, nextToken }, options),
        ),
    );
    const callOf = (name: string) => ({
      action: 'eks:DescribeNodegroup',
      subject: `node group ${name} of ${reader.place}`,
    });
    const described = await reader.each(names.value, callOf, async (nodegroupName, options) => {
      const eks = await reader.clients.eks();
      const { nodegroup } = await eks.describeNodegroup({ clusterName, nodegroupName }, options);
      return present(callOf(nodegroupName), 'a node group', nodegroup);
    });
    return { value: described.value, untried: [...names.untried, ...described.untried] };
  });
}

/** The add-ons that EKS installed. */
export function readAddons(reader: OfEks): Promise<Read<readonly Addon[]>> {
  const { clusterName } = reader.question;
  return reader.once('add-ons', async () => {
    const names = await reader.list(
      { action: 'eks:ListAddons', subject: `add-ons of ${reader.place}` },
      async (nextToken, options) =>
        pageOf('addons', (await reader.clients.eks()).listAddons({ clusterName, nextToken }, options)),
    );
    const callOf = (name: string) => ({
      action: 'eks:DescribeAddon',
      subject: `add-on ${name} of ${reader.place}`,
    });
    const described = await reader.each(names.value, callOf, async (addonName, options) => {
      const { addon } = await (await reader.clients.eks()).describeAddon({ clusterName, addonName }, options);
      return present(callOf(addonName), 'an add-on', addon);
    });
    return { value: described.value, untried: [...names.untried, ...described.untried] };
  });
}
