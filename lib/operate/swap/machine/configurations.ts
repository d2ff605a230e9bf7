import type { FleetConfiguration, SlotSetting } from '../configuration';

/** The configuration with one more slot, which gets no traffic. */
export function withSlot(
  configuration: FleetConfiguration,
  name: string,
  setting: SlotSetting,
): FleetConfiguration {
  const { slots, weights } = configuration;
  return {
    ...configuration,
    slots: { ...slots, [name]: setting },
    ...(weights && { weights: { ...weights, [name]: weights[name] ?? 0 } }),
  };
}

/** The configuration with all traffic on one slot; of hubs, with that one as the one that writes. */
export function withTrafficOn(configuration: FleetConfiguration, name: string): FleetConfiguration {
  const { slots, weights } = configuration;
  if (!weights) {
    return { ...configuration, active: name };
  }
  const names = [...new Set([...Object.keys(slots), ...Object.keys(weights)])];
  return {
    ...configuration,
    weights: Object.fromEntries(names.map((each) => [each, each === name ? 100 : 0])),
  };
}

/** The configuration without a slot. */
export function withoutSlot(configuration: FleetConfiguration, name: string): FleetConfiguration {
  const { slots, weights } = configuration;
  return {
    ...configuration,
    slots: without(slots, name),
    ...(weights && { weights: without(weights, name) }),
  };
}

function without<Value>(
  values: Readonly<Record<string, Value>>,
  name: string,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).filter(([each]) => each !== name));
}
