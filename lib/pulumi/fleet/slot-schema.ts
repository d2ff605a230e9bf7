import { iamRoleArn } from '../../core/aws/arns';
import {
  hostedZoneId,
  iamPolicyArn,
  kmsKeyArn,
  principalArn,
  securityGroupId,
  subnetId,
  vpcId,
} from '../../core/aws/identifiers';
import { opaque, rawArgs } from '../../core/validation/arguments';
import { across, record, falseOr, list, object, optional } from '../../core/validation/collections';
import { dnsLabel, goDuration } from '../../core/validation/formats';
import { laterValue } from '../../core/validation/problems';
import type { Format } from '../../core/validation/problems';
import type { Entries, OptionalSchema, Schema } from '../../core/validation/schema';
import { anything, flag, following, oneOf, text, whole } from '../../core/validation/values';
import { drainSettingsEntries } from '../../operate/drain';
import { eksKubernetesVersion } from '../addons';
import type { Addon } from '../addons';
import { awsTags, input, inputList, kubernetesLabels, plainList } from '../input-schemas';
import { eksAddonVersions } from './eks-addons';
import { endpointSchema } from './endpoint';
import { ipFamily } from './ip-family';
import { nodesSchema } from './nodes-args';
import { controlPlaneLogs } from './slot-args';
import type {
  AdoptedCluster,
  ClusterCredentials,
  DrainArgs,
  FleetWideArgs,
  Network,
  SlotArgs,
} from './slot-args';
import { entrySchema } from './slot-ref';

const network = object<Network>({ vpcId: input(vpcId), privateSubnetIds: inputList(subnetId) });

const drain = falseOr(
  object<DrainArgs>({
    ...drainSettingsEntries,
    trafficWithin: optional(following(goDuration)),
    leftovers: optional(oneOf('fail', 'warn')),
  }),
  'false, or an object with volumes, within, idleFor, trafficWithin, leftovers',
);

/** How AWS is asked for a token. */
export const clusterCredentials: Schema<ClusterCredentials> = object<ClusterCredentials>({
  profile: optional(text('the name of an AWS profile')),
  roleArn: optional(input(iamRoleArn)),
});

/** Each add-on says itself what is wrong with its options. */
const addons: OptionalSchema<readonly Addon[]> = optional(
  list<Addon>(anything, 0, 'a list of add-ons, such as addons.certManager()'),
);

/** An access entry of EKS, as its component takes it. */
const accessEntry: Schema<never> = across<{ readonly principalArn: unknown }>(
  opaque('an access entry of EKS: { principalArn, accessPolicies }'),
  ({ principalArn: arn }, { mustBe }) => {
    if (arn !== undefined && laterValue(arn) === undefined && !principalArn.accepts(arn)) {
      mustBe(['principalArn'], principalArn.allowed);
    }
  },
) as Schema as Schema<never>;

/** A schema for each argument that slots have in common. */
export const fleetWideEntries: Entries<FleetWideArgs> = {
  network: optional(network),
  endpoint: endpointSchema,
  entries: optional(record(entrySchema, following(dnsLabel))),
  addons,
  labels: kubernetesLabels,
  access: optional(record(accessEntry)),
  encryptionKeyArn: optional(input(kmsKeyArn)),
  controlPlaneLogs: optional(plainList(oneOf(...controlPlaneLogs))),
  podReadinessGates: optional(flag),
  deletionProtection: optional(flag),
  deregistrationDelaySeconds: optional(whole(0, 3600)),
  maxLiveTraffic: optional(whole(0, 100)),
  hostedZoneIds: optional(plainList(following(hostedZoneId))),
  drain: optional(drain),
  tags: optional(awsTags),
  permissionsBoundaryArn: optional(input(iamPolicyArn)),
  credentials: optional(clusterCredentials),
  clusterArgs: optional(rawArgs),
  targetGroupArgs: optional(rawArgs),
};

/**
 * Name of an EKS cluster.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html
 */
export const clusterName: Schema<string> = text(
  'letters, digits, "-" and "_", a letter or digit first, at most 100 characters',
  /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/,
);

const nodeGroupName: Format = {
  allowed: `${dnsLabel.allowed}, and another name than "nodes", which is that of the first`,
  accepts: (value) => dnsLabel.accepts(value) && value !== 'nodes',
};

/** A schema for each argument that a slot has for itself. */
export const ownSlotEntries: Entries<Omit<SlotArgs, keyof FleetWideArgs>> = {
  version: optional(following(eksKubernetesVersion)),
  nodes: optional(nodesSchema),
  ipFamily: optional(ipFamily),
  eksAddonVersions: optional(eksAddonVersions),
  moreNodes: optional(record(nodesSchema, following(nodeGroupName))),
  autoMode: optional(flag),
  adopt: optional(
    object<AdoptedCluster>({
      clusterName,
      nodeSecurityGroupId: optional(input(securityGroupId)),
      autoMode: optional(flag),
      ipFamily: optional(ipFamily),
    }),
  ),
  clusterName: optional(clusterName),
};

/** One slot of a fleet; what it needs beside its fleet's arguments is checked with them. */
export const slotSchema: Schema<SlotArgs> = object<SlotArgs>({
  ...ownSlotEntries,
  labels: kubernetesLabels,
  network: optional(network),
  endpoint: optional(endpointSchema),
  drain: optional(drain),
  addons,
  clusterArgs: optional(rawArgs),
});
