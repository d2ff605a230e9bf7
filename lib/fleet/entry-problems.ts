import type { Problems, Rule } from '../problems';
import { dnsLabel, oneOf, port, wholeNumber } from '../problems';
import type { Entry } from './slot-ref';

const healthPath: Rule = {
  allowed: 'a path that starts with "/", at most 1024 characters',
  accepts: (value) => typeof value === 'string' && /^\/\S{0,1023}$/.test(value),
};

/** Adds what is wrong with an entry. */
export function checkEntry(problems: Problems, name: string, entry: Entry): void {
  const path = `entries.${name}`;
  problems.check(path, name, dnsLabel);
  problems.check(`${path}.namespace`, entry.namespace, dnsLabel);
  problems.check(`${path}.service`, entry.service, dnsLabel);
  problems.check(`${path}.port`, entry.port, port);
  problems.checkGiven(path, entry, { targetPort: port });
  const type = entry.targetType ?? 'ip';
  if (problems.check(`${path}.targetType`, type, oneOf('ip', 'instance'))) {
    if (type === 'instance') {
      problems.check(`${path}.nodePort`, entry.nodePort, wholeNumber(30000, 32767));
    } else if (entry.nodePort !== undefined) {
      problems.add(`${path}.nodePort`, entry.nodePort, 'left out with ip targets');
    }
  }
  problems.checkGiven(`${path}.healthCheck`, entry.healthCheck ?? {}, {
    path: healthPath,
    port,
    intervalSeconds: wholeNumber(5, 300),
  });
}
