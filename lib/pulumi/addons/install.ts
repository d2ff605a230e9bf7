import * as pulumi from '@pulumi/pulumi';
import { dnsLabel } from '../../core/validation/formats';
import { Problems, isPlainObject } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { deliveryOf } from './addon';
import type { Addon, AddonResources, AddonSlot, AddonTarget } from './addon';
import { deliveryProblems, logDeliveryNotes } from './delivery/delivery';
import { supportProblems, warnUntested } from './kubernetes-support';

/** As much of an add-on as its place in the order depends on. */
export type Ordered = Pick<Addon, 'name' | 'requires'>;

/**
 * Everything that is wrong with a list of add-ons, whatever the slot: names, duplicates, missing requirements,
 * cycles, who delivers them, and the options of each. Paths start with `addons[0]`. Nothing is registered.
 */
export function checkAddons(addons: readonly Addon[]): Problem[] {
  const problems = new Problems('add-ons');
  addons.forEach((addon: unknown, position) => {
    if (!isPlainObject(addon) || !Array.isArray(addon.requires)) {
      problems.add(`addons[${position}]`, addon, 'an add-on, such as addons.certManager()');
    }
  });
  if (problems.all.length > 0) {
    return [...problems.all];
  }
  problems.addAll(orderProblems(addons));
  problems.addAll(deliveryProblems(addons));
  addons.forEach((addon, position) => problems.addAll(addon.problems ?? [], `addons[${position}]`));
  return [...problems.all];
}

/** The add-ons of a list that a slot can't have, with the reason. Nothing is registered. */
export function checkAddonsFit(addons: readonly Addon[], slot: AddonSlot): Problem[] {
  const refused = addons.flatMap((addon, position) => {
    const allowed = addon.refuses?.(slot);
    return allowed === undefined ? [] : [{ path: `addons[${position}]`, value: addon.name, allowed }];
  });
  return [...refused, ...supportProblems(addons, slot)];
}

/**
 * The order of installation: each add-on after those it requires, and as listed where nothing else is asked.
 *
 * @throws InvalidInput for duplicate names, missing requirements and cycles, all of them at once
 */
export function installOrder<A extends Ordered>(addons: readonly A[]): A[] {
  const problems = new Problems('Order of add-ons');
  problems.addAll(orderProblems(addons));
  problems.throwIfAny();
  const record = new Map(addons.map((addon) => [addon.name, addon]));
  const order = new Set<A>();
  const visit = (addon: A): void => {
    if (!order.has(addon)) {
      addon.requires.forEach((required) => visit(record.get(required)!));
      order.add(addon);
    }
  };
  addons.forEach(visit);
  return [...order];
}

function orderProblems(addons: readonly Ordered[]): readonly Problem[] {
  const problems = new Problems('add-ons');
  const first = new Map<string, number>();
  addons.forEach(({ name }, position) => {
    problems.check(`addons[${position}].name`, name, dnsLabel);
    const twin = first.get(name);
    if (twin !== undefined) {
      problems.add(`addons[${position}].name`, name, `a name of its own: addons[${twin}] has it too`);
    } else {
      first.set(name, position);
    }
  });
  addons.forEach(({ requires }, position) =>
    requires.forEach((required, which) => {
      if (!first.has(required)) {
        problems.add(
          `addons[${position}].requires[${which}]`,
          required,
          `the name of an add-on in the list (for one that is installed by other means, add existingAddon(${JSON.stringify(required)}))`,
        );
      }
    }),
  );
  for (const cycle of cycles(addons)) {
    const position = first.get(cycle[0]!)!;
    problems.add(
      `addons[${position}].requires`,
      addons[position]!.requires,
      `free of cycles: ${[...cycle, cycle[0]].join(' -> ')}`,
    );
  }
  return problems.all;
}

/** Every cycle that a walk along the requirements closes, each as the names from where it begins. */
function cycles(addons: readonly Ordered[]): string[][] {
  const requires = new Map(addons.map((addon) => [addon.name, addon.requires]));
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (name: string, path: readonly string[]): void => {
    const before = path.indexOf(name);
    if (before >= 0) {
      found.push(path.slice(before));
    } else if (!done.has(name)) {
      requires.get(name)?.forEach((required) => walk(required, [...path, name]));
      done.add(name);
    }
  };
  addons.forEach(({ name }) => walk(name, []));
  return found;
}

/** Groups what one add-on registers under the slot: all of it, or what stays with Pulumi where others deliver it. */
class InstalledAddon extends pulumi.ComponentResource {
  public readonly installed: AddonResources;

  public constructor(addon: Addon, target: AddonTarget) {
    super(
      'cluster-canary:addons:InstalledAddon',
      `${target.name}-${addon.name}`,
      {},
      { parent: target.parent },
    );
    const own = { ...target, parent: this };
    this.installed =
      deliveryOf(addon) === 'pulumi' ? addon.install(own) : (addon.prepare?.(own) ?? { resources: [] });
    this.registerOutputs({});
  }
}

/**
 * Installs add-ons on a slot, each after those it requires, and answers what each has registered, by its name:
 * let what uses an add-on depend on its `resources`. An add-on that its project does not test with the cluster's Kubernetes
 * version is a warning. A preview says what becomes of add-ons that another delivery delivers, or that are to go.
 *
 * @throws InvalidInput with everything that is wrong with the list, with an add-on's options or with an add-on
 * on this slot, before anything is registered
 */
export function installAddons<const Name extends string>(
  addons: readonly Addon<AddonResources, Name>[],
  target: AddonTarget,
): Readonly<Record<Name, AddonResources>> {
  const problems = new Problems(`Add-ons of "${target.name}"`);
  problems.addAll(checkAddons(addons));
  problems.addAll(checkAddonsFit(addons, target));
  problems.throwIfAny();
  warnUntested(addons, target, target.parent);
  logDeliveryNotes(addons, target.name, target.parent);
  const installed: Record<string, AddonResources> = {};
  for (const addon of installOrder(addons)) {
    const required = addon.requires.flatMap((name) => installed[name]!.resources);
    installed[addon.name] = new InstalledAddon(addon, {
      ...target,
      dependsOn: [...target.dependsOn, ...required],
    }).installed;
  }
  return installed as Record<Name, AddonResources>;
}
