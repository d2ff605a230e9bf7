import { scenarioSchema } from '../../../lib/shift/simulation/scenario-schema';
import { described } from './described-schema';

const base = 'https://cluster-canary.example/schemas';

/** The JSON Schemas that are made of schemas in the code, by the name of the file. */
export function schemaFiles(): Readonly<Record<string, object>> {
  return {
    'scenario.json': {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${base}/scenario.json`,
      title: 'Scenario of a simulated shift',
      description:
        'What `cluster-canary simulate --scenario` reads, as YAML or JSON: the traffic, how each slot does, what the ' +
        'metrics show of it, and what else goes wrong. Shares are numbers from 0 to 1, times count from the start of ' +
        'the shift. For editors: the command checks more than a schema can say.',
      ...described(scenarioSchema.json, 'lib/shift/simulation/scenario.ts', 'Scenario'),
    },
  };
}
