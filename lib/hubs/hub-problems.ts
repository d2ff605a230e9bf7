import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { checkAddons } from '../addons';
import { ClusterFleet, fleetRef } from '../fleet';
import { dnsLabel, oneOf, Problems } from '../problems';
import { marker } from '../tokens';
import { addonProblems } from './addon-problems';
import { argoCdAddon, argoCdChartVersion, chartVersionRule } from './argo-cd-chart';
import { handoverProblems } from './handover/settings';
import type { ArgoCdHubArgs } from './hub-arguments';
import type { ManagedCluster } from './hub-clusters';
import { managedClusters } from './hub-clusters';
import { collectProblems, HubObjects } from './hub-objects';
import { installationOf } from './installation-of';
import { objectProps } from './object-props';

/**
 * Everything that can be judged before anything is registered; answers the managed clusters.
 *
 * @throws InvalidInput with every problem of the plain values
 */
export function checkHub(name: string, args: ArgoCdHubArgs): ManagedCluster[] {
  const problems = new Problems(`ArgoCdHub "${name}"`);
  const namespace = args.namespace ?? 'argocd';
  problems.check('name', name, dnsLabel);
  problems.check('namespace', namespace, dnsLabel);
  problems.check('chartVersion', args.chartVersion ?? argoCdChartVersion, chartVersionRule);
  problems.check('identity', args.identity ?? 'perSlot', oneOf('perSlot', 'shared'));
  problems.check('reach', args.reach ?? 'securityGroup', oneOf('securityGroup', 'own'));
  problems.addAll(handoverProblems(args.handover ?? {}), 'handover');
  const slots = Object.keys(fleetRef(args.fleet).slots);
  if (slots.length > 1 || args.active !== undefined) {
    problems.check('active', args.active, oneOf(...slots));
  }
  checkLost(problems, args, slots);
  const fleets = args.manages.map(fleetRef);
  const names = fleets.map((fleet) => fleet.name);
  names.forEach((fleet, index) => {
    if (names.indexOf(fleet) !== index) {
      problems.add(
        `manages[${index}]`,
        fleet,
        `a fleet of its own: manages[${names.indexOf(fleet)}] is it, too`,
      );
    }
  });
  const managed = managedClusters(fleets);
  // A wrong namespace is one problem, not one of every object.
  const within = dnsLabel.accepts(namespace) ? namespace : 'argocd';
  collectProblems(problems, '', () => {
    problems.addAll(
      checkAddons([
        argoCdAddon(within, installationOf(args, managed.length), { idle: false, progressiveSyncs: false }),
      ]),
    );
  });
  const chart = new Chart(new App(), 'check');
  // Outputs have no values yet; a marker stands for each, and what is no output stays what it is.
  const token = <T>(value: pulumi.Input<T>): T =>
    (pulumi.Output.isInstance(value) || value instanceof Promise ? marker(0) : value) as T;
  collectProblems(problems, '', () => {
    new HubObjects(chart, 'hub', { ...objectProps(args, managed, within), standby: false, token });
  });
  problems.addAll(addonProblems({ ...args, steps: args.addonSteps }));
  if (slots.length > 1) {
    checkSwitchable(problems, args);
  }
  problems.throwIfAny();
  return managed;
}

function checkLost(problems: Problems, args: ArgoCdHubArgs, slots: readonly string[]): void {
  const { lost = [], active, identity, fleet } = args;
  lost.forEach((slot, index) => {
    const path = `lost[${index}]`;
    if (!slots.includes(slot)) {
      problems.check(path, slot, oneOf(...slots));
    } else if (slot === (active ?? slots[0])) {
      problems.add(path, slot, 'another slot than "active": what is lost can\'t write');
    } else if (identity === 'shared') {
      problems.add(
        path,
        slot,
        "left out: with a shared identity the clusters can't tell the hubs apart, so a hub that can't be reached " +
          'could go on writing; end its cluster first',
      );
    } else if (fleet instanceof ClusterFleet) {
      problems.add(
        path,
        slot,
        'left out: this program makes the slot; take it out of its fleet, and what it holds goes with its cluster',
      );
    }
  });
}

/** Automated sync of the Applications is switched on and off by their ApplicationSet. */
function checkSwitchable(problems: Problems, { applicationSets = [] }: ArgoCdHubArgs): void {
  applicationSets.forEach(({ syncPolicy, template }, index) => {
    const policy = syncPolicy?.applicationsSync;
    const fixed = policy === 'create-only' || policy === 'create-delete';
    if (fixed && template.spec.syncPolicy?.automated !== undefined) {
      problems.add(
        `applicationSets[${index}].syncPolicy.applicationsSync`,
        policy,
        '"create-update" or "sync": with several hub slots, the set switches the automated sync of its Applications',
      );
    }
  });
}
