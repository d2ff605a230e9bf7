import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import { eventTypes } from '../../../lib/shift/notify';
import type { FleetEvent } from '../../../lib/shift/notify';
import { cloudEvent } from '../../../lib/shift/notify/webhook';
import { samples } from './events';

const file = join(__dirname, '..', '..', '..', 'schemas', 'event.json');
const isEvent = new Ajv2020({ allowUnionTypes: true, formats: { 'date-time': true } }).compile(
  JSON.parse(readFileSync(file, 'utf8')) as object,
);

test.each(eventTypes)('%s is what schemas/event.json says, as data of a CloudEvent as well', (type) => {
  const event: FleetEvent = samples[type];
  const { data } = cloudEvent(event) as { readonly data: object };
  for (const document of [event, data]) {
    expect([isEvent(document), isEvent.errors]).toEqual([true, null]);
  }
  expect(isEvent({ ...event, more: 1 })).toBe(false);
  for (const key of ['id', 'wanted', 'type'] as const) {
    const { [key]: _, ...rest } = event;
    expect(isEvent(rest)).toBe(false);
  }
});
