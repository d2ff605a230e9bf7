import { openKubernetes } from '../../../../lib/core/kubernetes/open';
import { Receiver, json } from '../receiver';
import type { Answer } from '../receiver';
import { contextWith } from './fake';
import type { SinkFake } from './fake';

const well: Answer = ({ body }, response) => json(response, JSON.parse(body), 201);

export const fake: SinkFake = {
  least: { namespace: 'shifts' },
  secretKeys: [],
  start: async () => {
    const receiver = await Receiver.start(well);
    receiver.ahead = ({ method, path }, response) => {
      if (method !== 'GET' || path !== '/apis/events.k8s.io/v1') {
        return false;
      }
      const kind = {
        name: 'events',
        singularName: 'event',
        namespaced: true,
        kind: 'Event',
        verbs: ['create'],
      };
      json(response, { kind: 'APIResourceList', groupVersion: 'events.k8s.io/v1', resources: [kind] });
      return true;
    };
    const token = 'secret-token-of-the-hub';
    const kubeconfigText = JSON.stringify({
      'current-context': 'hub',
      contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
      clusters: [{ name: 'hub', cluster: { server: receiver.url } }],
      users: [{ name: 'hub', user: { token } }],
    });
    const surroundings = { env: {}, home: '/nowhere', serviceAccount: '/nowhere' };
    const api = await openKubernetes({ kubeconfigText }, { attempts: 1, pause: 1 }, surroundings);
    return {
      settings: { namespace: 'shifts' },
      context: contextWith({ kubernetes: () => Promise.resolve(api) }),
      ...{ receiver, well, secrets: [token], readsAnswers: true, stop: () => api.close() },
    };
  },
};
