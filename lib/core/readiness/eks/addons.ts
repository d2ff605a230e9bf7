import type { Addon, AddonInfo } from '@aws-sdk/client-eks';
import { awsFailure } from '../../aws/errors';
import { everyPage, pageOf } from '../../aws/pages';
import type { ReadinessFinding } from '../report';
import { counted } from '../words';
import { addonIssues, issueFinding } from './health';
import type { Read } from './reader';
import { readAddons } from './resources';
import type { OfEks } from './resources';
import { eksSubject, listed, mayRead, minorOf, said } from './subject';

/**
 * Whether the add-ons that EKS installed have versions for the wanted version of Kubernetes, in the cluster's region.
 *
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html
 */
export const eksAddons = eksSubject({
  name: 'eks-addons',
  title: 'EKS add-ons: versions for the wanted version, and health',
  permissions: [
    mayRead('ListAddons', ['eks:ListAddons'], 'cluster'),
    mayRead('ReadAddons', ['eks:DescribeAddon'], 'addon'),
    mayRead('ReadAddonVersions', ['eks:DescribeAddonVersions']),
  ],
  look: async (reader, { to }) => {
    const addons = await readAddons(reader);
    const offers = await readOffers(
      reader,
      addons.value.flatMap(({ addonName }) => addonName || []),
      to,
    );
    return {
      findings: [
        ...judgeAddons(addons.value, offers.value, to),
        ...addons.value.flatMap(addonIssues).map((issue) => issueFinding('EKS11', issue)),
      ],
      looked: counted(addons.value.length, 'add-on'),
      untried: [...addons.untried, ...offers.untried],
    };
  },
});

/** What EKS offers of one add-on for a version of Kubernetes. */
export interface AddonOffer {
  readonly name: string;
  /** Versions that fit, as EKS lists them: the newest first. */
  readonly versions: readonly string[];
  /** The one that EKS installs where none is named. */
  readonly byDefault?: string;
}

function readOffers(
  reader: OfEks,
  names: readonly string[],
  to: string,
): Promise<Read<readonly AddonOffer[]>> {
  const callOf = (name: string) => ({
    action: 'eks:DescribeAddonVersions',
    subject: `versions of the add-on ${name} for ${to}`,
  });
  return reader.each(names, callOf, async (addonName, options) => {
    const eks = await reader.clients.eks();
    try {
      const addons = await everyPage(callOf(addonName), (nextToken) =>
        pageOf('addons', eks.describeAddonVersions({ addonName, kubernetesVersion: to, nextToken }, options)),
      );
      return offerOf(addonName, addons, to);
    } catch (error) {
      // Such an add-on is not known in this region.
      if (awsFailure(error).kind === 'notFound') {
        return { name: addonName, versions: [] };
      }
      throw error;
    }
  });
}

function offerOf(name: string, addons: readonly AddonInfo[], to: string): AddonOffer {
  const fitting = addons
    .filter(({ addonName }) => addonName === undefined || addonName === name)
    .flatMap(({ addonVersions = [] }) => addonVersions)
    .map(({ addonVersion, compatibilities = [] }) => ({
      version: addonVersion,
      fits: compatibilities.filter(({ clusterVersion }) => minorOf(clusterVersion) === minorOf(to)),
    }))
    .filter(({ version, fits }) => version !== undefined && fits.length > 0);
  const byDefault = fitting.find(({ fits }) => fits.some(({ defaultVersion }) => defaultVersion))?.version;
  return {
    name,
    versions: fitting.map(({ version }) => version!),
    ...(byDefault === undefined ? {} : { byDefault }),
  };
}

/** Whether each add-on has a version that fits. One whose offer could not be read is not judged. */
export function judgeAddons(
  addons: readonly Addon[],
  offers: readonly AddonOffer[],
  to: string,
): readonly ReadinessFinding[] {
  return addons.flatMap(({ addonName, addonVersion }): readonly ReadinessFinding[] => {
    const offer = offers.find(({ name }) => name === addonName);
    if (offer === undefined || addonVersion === undefined || offer.versions.includes(addonVersion)) {
      return [];
    }
    const subject = `add-on ${said(addonName)} ${said(addonVersion)}`;
    const { byDefault, versions } = offer;
    return versions.length === 0
      ? [
          {
            id: 'EKS10',
            severity: 'error',
            message: `${subject}: EKS offers no version of it for ${to} in this region`,
            why: 'a cluster of that version can not have it from EKS; add-ons come to versions and regions at different times',
            fix: `install it another way, by its chart for example, or wait until \`aws eks describe-addon-versions\` lists it for ${to}`,
          },
        ]
      : [
          {
            id: 'EKS09',
            severity: 'warning',
            message:
              `${subject} does not fit ${to}; there, ` +
              (byDefault === undefined ? '' : `the default is ${said(byDefault)}, and `) +
              `EKS offers ${listed(versions, 3)}`,
            why: 'where this version is pinned, EKS refuses it for a cluster of the wanted version',
            fix: `name ${said(byDefault ?? versions[0])} for the new cluster, or no version at all`,
          },
        ];
  });
}
