import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { Clock } from '../../../lib/core/async';
import type { HttpClient } from '../../../lib/core/http';
import { answerAdmin } from '../../../lib/shift/demo/admin-api';
import type { ProxyState } from '../../../lib/shift/demo/admin-api';
import { TrafficCounts } from '../../../lib/shift/demo/traffic-counts';
import type { Weights } from '../../../lib/shift/engine';
import type { RouterContext, RouterName } from '../../../lib/shift/routers';
import { RecordingClients } from '../../core/aws/recording-clients';
import { albListenerArn, blueArn, greenArn, nlbListenerArn, ruleArn } from './arns';
import { asked, gateways } from './toy-router';

/** What a router of a kind is about, where blue has all of the traffic. */
export interface RouterWorld {
  readonly context: RouterContext;
  /** What was asked, in order: `read`, `write`, or something else that changes no weights and reads none. */
  calls(): readonly string[];
  /** Somebody else sets weights; unset where nobody else can. */
  readonly set?: (weights: Weights) => void;
  /** Takes green away; unset where the router does not put it there. */
  readonly without?: () => void;
}

/** The least that a plan file says of a router, and what it is about. */
export interface RouterFake {
  readonly settings: object;
  /** What each slot says. */
  readonly slots: { readonly blue: string; readonly green: string };
  world(): RouterWorld;
}

const groups = { blue: blueArn, green: greenArn };

/** What holds a forward action. */
function holder(read: string, write: string): RouterWorld {
  let actions: Action[] = [];
  const set = ({ blue, green }: Weights) => {
    const arns: [string, number | undefined][] = [
      [blueArn, blue],
      [greenArn, green],
    ];
    actions = [
      {
        Type: 'forward',
        ForwardConfig: {
          TargetGroups: arns.flatMap(([TargetGroupArn, Weight]) =>
            Weight === undefined ? [] : [{ TargetGroupArn, Weight }],
          ),
        },
      },
    ];
  };
  set({ blue: 100, green: 0 });
  const answer = () => ({ Rules: [{ Actions: actions }], Listeners: [{ DefaultActions: actions }] });
  const clients = new RecordingClients({
    [read]: answer,
    [write]: ({ Actions, DefaultActions }) => {
      actions = (Actions ?? DefaultActions) as Action[];
      return answer();
    },
    DescribeTargetGroupAttributes: () => ({ Attributes: [] }),
  });
  const calls = () => clients.names.map((name) => (name === read ? 'read' : name === write ? 'write' : name));
  return { context: { clients }, calls, set, without: () => set({ blue: 100 }) };
}

/** A clock that does not wait. */
function quick(): Clock {
  let time = 0;
  return {
    now: () => time,
    sleep: (milliseconds) => {
      time += milliseconds;
      return Promise.resolve();
    },
  };
}

function records(): RouterWorld {
  let sets: ResourceRecordSet[] = [];
  const set = ({ blue = 0, green = 0 }: Weights) => {
    const each = (SetIdentifier: string, Weight: number): ResourceRecordSet => ({
      ...{ Name: 'www.example.com.', Type: 'A', SetIdentifier, Weight, TTL: 30 },
      ResourceRecords: [{ Value: '192.0.2.1' }],
    });
    sets = [each('apps-blue', blue), each('apps-green', green)];
  };
  set({ blue: 100, green: 0 });
  const clients = new RecordingClients({
    ListResourceRecordSets: () => ({ ResourceRecordSets: sets, IsTruncated: false }),
    ChangeResourceRecordSets: ({ ChangeBatch }) => {
      sets = ChangeBatch.Changes.map(({ ResourceRecordSet }: any) => ResourceRecordSet);
      return { ChangeInfo: { Id: '/change/C1', Status: 'PENDING' } };
    },
    GetChange: () => ({ ChangeInfo: { Status: 'INSYNC' } }),
  });
  const words: Readonly<Record<string, string>> = {
    ListResourceRecordSets: 'read',
    ChangeResourceRecordSets: 'write',
  };
  return {
    context: { clients, clock: quick() },
    calls: () => clients.names.map((name) => words[name] ?? name),
    set,
  };
}

/** The proxy of the demo, but for the connection to it. */
function proxy(): RouterWorld {
  const calls: string[] = [];
  const state: ProxyState = { weights: { blue: 100, green: 0 }, version: '1', counts: new TrafficCounts() };
  const http: HttpClient = {
    send: ({ method, url, headers, body = '' }) => {
      calls.push(method === 'GET' ? 'read' : 'write');
      const request = { method, path: url.pathname, ifMatch: headers['if-match'], body };
      const { status, etag, content } = answerAdmin(state, request, 0);
      return Promise.resolve({ status, headers: { etag }, text: JSON.stringify(content) });
    },
  };
  const set = (weights: Weights) => {
    state.weights = weights;
    state.version += 'x';
  };
  return { context: { http }, calls: () => calls, set };
}

function gateway(): RouterWorld {
  gateways.set('edge', { blue: 100, green: 0 });
  asked.length = 0;
  return {
    context: {},
    calls: () => asked,
    set: (weights) => void gateways.set('edge', weights),
    without: () => void gateways.set('edge', { blue: 100 }),
  };
}

/** One for every kind, by its key in a plan file, and one for the toy of the tests. */
export const fakes: Readonly<Record<RouterName | 'toy', RouterFake>> = {
  albRule: { settings: { ruleArn }, slots: groups, world: () => holder('DescribeRules', 'ModifyRule') },
  albDefaultAction: {
    settings: { listenerArn: albListenerArn },
    slots: groups,
    world: () => holder('DescribeListeners', 'ModifyListener'),
  },
  nlbListener: {
    settings: { listenerArn: nlbListenerArn },
    slots: groups,
    world: () => holder('DescribeListeners', 'ModifyListener'),
  },
  route53: {
    settings: { hostedZoneId: 'Z1D633PJN98FT9', recordName: 'www.example.com', recordType: 'A' },
    slots: { blue: 'apps-blue', green: 'apps-green' },
    world: records,
  },
  httpProxy: {
    settings: { address: 'http://127.0.0.1:9000' },
    slots: { blue: '', green: '' },
    world: proxy,
  },
  simulated: {
    settings: {},
    slots: groups,
    world: () => ({ context: { wanted: { green: 100 } }, calls: () => [] }),
  },
  toy: { settings: { gateway: 'edge' }, slots: { blue: 'blue', green: 'green' }, world: gateway },
};
