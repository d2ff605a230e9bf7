import type { Problem } from '../problems';
import { oneOf, Problems } from '../problems';
import type { Addon } from './addon';
import type { Courier } from './courier';
import { courier, courierOf, couriers } from './courier';

/**
 * What is wrong with who delivers what: an add-on that another courier can't carry, and one that would come before what it
 * requires. Pulumi comes first, then Argo CD or the helmfile, of which neither waits for the other.
 */
export function courierProblems(addons: readonly Addon[]): readonly Problem[] {
  const problems = new Problems('couriers');
  const byName = new Map(addons.map((addon) => [addon.name, addon]));
  addons.forEach((addon, position) => {
    const who = courierOf(addon);
    const at = `addons[${position}]`;
    if (!couriers.includes(who)) {
      problems.check(`${at}.deliveredBy`, who, courier);
      return;
    }
    problems.check(`${at}.state`, addon.state ?? 'present', oneOf('present', 'absent'));
    if (who !== 'pulumi' && !addon.release) {
      problems.add(
        `${at}.deliveredBy`,
        who,
        '"pulumi": this add-on is no chart that something else could deliver',
      );
    }
    addon.requires.forEach((required, which) => {
      const other = byName.get(required);
      // A part that stays with Pulumi is made during `up`.
      const needsBy = addon.prepare ? 'pulumi' : who;
      if (other && comesLater(courierOf(other), needsBy)) {
        problems.add(
          `${at}.requires[${which}]`,
          required,
          `an add-on that is there by then: ${nameOf(needsBy)} ${needsBy === who ? 'delivers' : 'prepares'} this one, and ${nameOf(courierOf(other))} delivers ${JSON.stringify(required)}`,
        );
      }
    });
  });
  return problems.all;
}

function comesLater(required: Courier, who: Courier): boolean {
  return required !== 'pulumi' && required !== who;
}

function nameOf(who: Courier): string {
  return { pulumi: 'Pulumi', argocd: 'Argo CD', helmfile: 'a helmfile' }[who];
}
