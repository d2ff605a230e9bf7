import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { hooksAreKnown } from '../bridge';
import { drainHook, exemptFromDrain } from './drain-hook';
import type { MarkedSlot } from './drain-mark';
import type { FleetWideArgs, SlotArgs } from './slot-arguments';
import type { SlotRef } from './slot-ref';

/** What is emptied, and how. */
export interface DrainedSlotArgs
  extends Pick<FleetWideArgs, 'credentials' | 'drain' | 'hostedZoneIds'>, Pick<SlotArgs, 'adopt'> {
  readonly fleet: string;
  readonly slot: string;
}

/** What the component of a slot has made. */
export interface DrainedSlot extends pulumi.Resource {
  readonly kubernetes: k8s.Provider;
  readonly cluster?: pulumi.Resource;
  readonly ready: readonly pulumi.Resource[];
  readonly nodeGroups: Readonly<Record<string, pulumi.Resource>>;
  readonly addons: Readonly<Record<string, { readonly resources: readonly pulumi.Resource[] }>>;
}

/** Whether a slot is emptied before its cluster is deleted. */
export function isDrained({ drain, adopt }: Pick<DrainedSlotArgs, 'drain' | 'adopt'>): boolean {
  return drain !== undefined && drain !== false && !adopt;
}

/**
 * Has a slot emptied before its cluster is deleted. The hook is on a ConfigMap that is deleted before anything else of the
 * slot: a hook of the cluster itself would come when nodes and controllers, which have to clean up, are gone. What it needs to
 * know stands in the ConfigMap, so that it works for a slot that is no longer in the program.
 */
export function drainBeforeDelete(
  name: string,
  args: DrainedSlotArgs,
  base: pulumi.Output<SlotRef>,
  slot: DrainedSlot,
): void {
  const { fleet, slot: slotName, drain, credentials, hostedZoneIds } = args;
  if (!hooksAreKnown()) {
    return;
  }
  // Registered in every program with a slot: one that was taken out of it still names the hook.
  const hook = drainHook();
  if (drain === undefined || drain === false || !isDrained(args)) {
    exemptFromDrain(fleet, slotName);
    return;
  }
  const mark = pulumi
    .all([base, credentials?.roleArn])
    .apply(([{ clusterName, clusterArn, region, endpoint, certificateAuthority, proxyUrl }, roleArn]) => {
      const marked: MarkedSlot = {
        ...{ fleet, slot: slotName, drain, hostedZoneIds },
        ...{ clusterName, clusterArn, region, endpoint, certificateAuthority, proxyUrl },
        ...{ roleArn, profile: credentials?.profile },
      };
      return JSON.stringify(marked);
    });
  new k8s.core.v1.ConfigMap(
    `${name}-drain`,
    { metadata: { name: 'cluster-canary-drain', namespace: 'kube-system' }, data: { slot: mark } },
    {
      parent: slot,
      provider: slot.kubernetes,
      deletedWith: slot.cluster,
      dependsOn: [
        ...slot.ready,
        ...Object.values(slot.nodeGroups),
        ...Object.values(slot.addons).flatMap(({ resources }) => resources),
      ],
      hooks: { beforeDelete: [hook] },
    },
  );
}
