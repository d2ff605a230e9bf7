import { App, Chart } from 'cdk8s';
import type { Problem } from '../problems';
import { Problems } from '../problems';
import type { DeliveredAddonsArgs } from './fleet-addons';
import { deliveredAddons } from './fleet-addons';
import { addonObjects } from './addon-objects';
import { collectProblems } from './hub-objects';
import { standIn } from './stand-in';

/** What of a hub's arguments add-ons that Argo CD delivers may not go with. */
export interface AddonSurroundings extends DeliveredAddonsArgs {
  readonly projects?: readonly { readonly name: string }[];
  readonly applicationSets?: readonly { readonly name: string }[];
  readonly targetNamespaces?: readonly string[];
}

/** Everything that is wrong with the add-ons that Argo CD is to deliver. */
export function addonProblems(args: AddonSurroundings): readonly Problem[] {
  const problems = new Problems('add-ons that Argo CD delivers');
  const { fleets } = deliveredAddons(args, standIn);
  const taken = { projects: args.projects ?? [], applicationSets: args.applicationSets ?? [] };
  for (const [position, { applicationSet, ...rest }] of fleets) {
    const at = `manages[${position}]`;
    for (const [field, items] of Object.entries(taken)) {
      items.forEach(({ name }, index) => {
        if (name === applicationSet.name) {
          problems.add(
            `${field}[${index}].name`,
            name,
            `another name, or left out: the hub makes it by itself for the add-ons of ${at}`,
          );
        }
      });
    }
    if (args.targetNamespaces !== undefined) {
      problems.add(
        'targetNamespaces',
        args.targetNamespaces,
        `left out: Argo CD delivers add-ons of ${at}, which have objects of the whole cluster`,
      );
    }
    collectProblems(problems, `${at}.addons`, () => {
      const alone = {
        fleets: new Map([[position, { applicationSet, ...rest }]]),
        repositories: [],
        after: [],
      };
      addonObjects(new Chart(new App(), 'check'), alone, { namespace: 'argocd', standby: false });
    });
  }
  return problems.all;
}
