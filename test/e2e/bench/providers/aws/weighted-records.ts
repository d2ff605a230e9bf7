import type { Change, ChangeAction, ResourceRecordSet, RRType } from '@aws-sdk/client-route-53';
import { ChangeResourceRecordSetsCommand, ListResourceRecordSetsCommand } from '@aws-sdk/client-route-53';
import type { Properties, ResourceKind } from '../resource-kind';
import type { Clients } from './clients';

const type = 'aws:route53/record:Record';

/**
 * Records that have a set identifier, made in moto; all others stay as they are in `others`. As the provider does, an update
 * writes all of a record, and a deletion deletes what is there.
 */
export function weightedRecords(
  { route53 }: Clients,
  others: Readonly<Record<string, ResourceKind>>,
): Record<string, ResourceKind> {
  const plain = others[type]!;
  const change = async (zone: string, Action: ChangeAction, ResourceRecordSet: ResourceRecordSet) => {
    const Changes: Change[] = [{ Action, ResourceRecordSet }];
    await route53.send(new ChangeResourceRecordSetsCommand({ HostedZoneId: zone, ChangeBatch: { Changes } }));
  };
  const find = async (id: string): Promise<ResourceRecordSet | undefined> => {
    const [zone, name, kind, identifier] = id.split('_');
    const { ResourceRecordSets } = await route53.send(
      new ListResourceRecordSetsCommand({ HostedZoneId: zone }),
    );
    return ResourceRecordSets!.find(
      ({ Name, Type, SetIdentifier }) => Name === `${name}.` && Type === kind && SetIdentifier === identifier,
    );
  };
  return {
    [type]: {
      ...plain,
      create: async (inputs, resource) => {
        if (inputs.setIdentifier === undefined) {
          return plain.create(inputs, resource);
        }
        await change(inputs.zoneId as string, inputs.allowOverwrite ? 'UPSERT' : 'CREATE', recordSet(inputs));
        const id = [inputs.zoneId, inputs.name, inputs.type, inputs.setIdentifier].join('_');
        return { id, outputs: { fqdn: inputs.name } };
      },
      update: async (_id, inputs) => {
        if (inputs.setIdentifier !== undefined) {
          await change(inputs.zoneId as string, 'UPSERT', recordSet(inputs));
        }
        return {};
      },
      inputs: ['zoneId', 'name', 'type', 'setIdentifier', 'weightedRoutingPolicies', 'ttl', 'records'],
      read: async (id, before) => {
        if (id.split('_').length < 4) {
          return before;
        }
        const found = await find(id);
        return (
          found && {
            ...before,
            zoneId: id.split('_')[0],
            name: id.split('_')[1],
            type: found.Type,
            setIdentifier: found.SetIdentifier,
            weightedRoutingPolicies: [{ weight: Number(found.Weight) }],
            ttl: Number(found.TTL),
            records: found.ResourceRecords!.map(({ Value }) => Value),
          }
        );
      },
      delete: async (id, before) => {
        const found = before.setIdentifier === undefined ? undefined : await find(id);
        if (found) {
          await change(before.zoneId as string, 'DELETE', found);
        }
      },
    },
  };
}

function recordSet(inputs: Properties): ResourceRecordSet {
  return {
    Name: inputs.name as string,
    Type: inputs.type as RRType,
    SetIdentifier: inputs.setIdentifier as string,
    Weight: inputs.weightedRoutingPolicies[0].weight as number,
    TTL: inputs.ttl as number,
    ResourceRecords: (inputs.records as string[]).map((Value) => ({ Value })),
  };
}
