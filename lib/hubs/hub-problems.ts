import { App, Chart } from 'cdk8s';
import { ClusterFleet, fleetRef } from '../fleet';
import { dnsLabel, oneOf, Problems } from '../problems';
import { addonProblems } from './addon-problems';
import { argoCdAddon, argoCdChartVersion, chartVersionRule } from './argo-cd-chart';
import { handoverProblems } from './handover/settings';
import type { ArgoCdHubArgs } from './hub-arguments';
import { hubAwsProblems } from './hub-aws-arguments';
import { checkChosenSlot } from './hub-clusters';
import { collectProblems, HubObjects } from './hub-objects';
import { installationOf } from './installation-of';
import type { ManagedCluster } from './managed-clusters';
import { managedClusters } from './managed-clusters';
import { objectProps } from './object-props';
import { standIn } from './stand-in';

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
  const chartVersion = args.chartVersion ?? argoCdChartVersion;
  const known = problems.check('chartVersion', chartVersion, chartVersionRule);
  problems.check('identity', args.identity ?? 'perSlot', oneOf('perSlot', 'shared'));
  problems.check('reach', args.reach ?? 'securityGroup', oneOf('securityGroup', 'own'));
  problems.addAll(handoverProblems(args.handover ?? {}), 'handover');
  problems.addAll(hubAwsProblems(args));
  const slots = Object.keys(fleetRef(args.fleet).slots);
  checkChosenSlot(problems, 'active', args.active, slots);
  checkLost(problems, args, slots);
  const managed = managedClusters(problems, args.manages);
  // A wrong namespace is one problem, not one of every object, and so is a wrong version.
  const within = dnsLabel.accepts(namespace) ? namespace : 'argocd';
  const installation = {
    ...installationOf(args, managed.length),
    chartVersion: known ? chartVersion : argoCdChartVersion,
  };
  collectProblems(problems, '', () => {
    problems.addAll(argoCdAddon(within, installation, { idle: false, progressiveSyncs: false }).problems);
  });
  const chart = new Chart(new App(), 'check');
  collectProblems(problems, '', () => {
    new HubObjects(chart, 'hub', { ...objectProps(args, managed, within), standby: false, token: standIn });
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
