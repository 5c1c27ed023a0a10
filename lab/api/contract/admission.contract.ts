import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json.ts';
import type { Answer } from './contract-client.ts';
import type { World } from './contract-world.ts';
import { at, message, outcome } from './look.ts';

const root = '/apis/admissionregistration.k8s.io/v1';

/** Policies of admission: what they see, and what becomes of a request that they do not like. */
export function admissionContract(world: World): void {
  test('an admission policy and its binding are kept, with their defaults', async () => {
    const root = '/apis/admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] };
    const matchConstraints = { resourceRules: [{ ...rule, resources: ['configmaps'] }] };
    const policy = await world.admin.post(`${root}/validatingadmissionpolicies`, {
      metadata: { name: 'kept' },
      spec: { matchConstraints, validations: [{ expression: 'true' }] },
    });
    assert.equal(outcome(policy), '201');
    assert.deepEqual(at(policy.body, 'spec'), {
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ ...rule, resources: ['configmaps'], scope: '*' }],
      },
      validations: [{ expression: 'true' }],
    });
    const binding = await world.admin.post(`${root}/validatingadmissionpolicybindings`, {
      metadata: { name: 'kept' },
      spec: { policyName: 'kept', validationActions: ['Deny'] },
    });
    assert.equal(outcome(binding), '201');
    assert.equal(at(binding.body, 'metadata.generation'), 1);
  });

  /** In force for the ConfigMaps of one namespace. */
  const enforce = async (name: string, namespace: string, more: JsonObject, actions: string[]) => {
    await world.admin.post(`${root}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [''],
              apiVersions: ['*'],
              operations: ['CREATE', 'UPDATE', 'DELETE'],
              resources: ['configmaps'],
            },
          ],
        },
        matchConditions: [
          { name: 'here', expression: `request.?namespace.orValue('') == '${namespace}'` },
        ],
        ...more,
      },
    });
    await world.admin.post(`${root}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name, validationActions: actions },
    });
  };

  /** The real server needs a moment until a new policy is in force. */
  const until = async (isThere: (answer: Answer) => boolean, ask: () => Promise<Answer>) => {
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const answer = await ask();
      if (isThere(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return ask();
  };

  test('a policy refuses in its own words, and lets everything else pass', async () => {
    const namespace = await world.namespace();
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    await world.admin.post(maps, { metadata: { name: 'kept' }, data: { a: '1' } });
    const variables = [{ name: 'data', expression: 'object.?data.orValue({})' }];
    const validations = [
      {
        expression: "request.operation == 'DELETE' || !('bad' in variables.data)",
        messageExpression: "request.userInfo.username + ' wrote bad: ' + variables.data['bad']",
      },
      {
        expression: "request.operation != 'UPDATE' || oldObject.data == object.data",
        message: 'data stay as they are',
        reason: 'Forbidden',
      },
      {
        expression: "request.operation != 'DELETE' || oldObject.metadata.name != 'kept'",
        message: 'it is kept',
        reason: 'Forbidden',
      },
    ];
    await enforce('words', namespace, { variables, validations }, ['Deny']);
    const bad = { metadata: { name: 'bad' }, data: { bad: 'x' } };
    const refused = await until(
      ({ status }) => status === 422,
      () => world.admin.post(`${maps}?dryRun=All`, bad),
    );
    const why =
      "ValidatingAdmissionPolicy 'words' with binding 'words' denied request: admin wrote bad: x";
    assert.equal(outcome(refused), '422 Invalid');
    assert.equal(message(refused), `configmaps "bad" is forbidden: ${why}`);
    assert.deepEqual(at(refused.body, 'details'), {
      name: 'bad',
      kind: 'configmaps',
      causes: [{ message: why }],
    });
    const changed = await world.admin.patch(`${maps}/kept`, { data: { a: '2' } });
    assert.equal(outcome(changed), '403 Forbidden');
    assert.match(message(changed), /denied request: data stay as they are$/);
    assert.equal(outcome(await world.admin.delete(`${maps}/kept`)), '403 Forbidden');
    const label = { metadata: { labels: { a: 'b' } } };
    assert.equal(outcome(await world.admin.patch(`${maps}/kept`, label)), '200');
    const elsewhere = `/api/v1/namespaces/${await world.namespace()}/configmaps`;
    assert.equal(outcome(await world.admin.post(elsewhere, bad)), '201');
  });

  test('a policy that only warns lets a request pass, and one that fails refuses it', async () => {
    const namespace = await world.namespace();
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const validations = [{ expression: '!has(object.data)', message: 'empty ones are better' }];
    await enforce('warns', namespace, { validations }, ['Warn']);
    const full = { metadata: { name: 'full' }, data: { a: '1' } };
    const warned = await until(
      ({ headers }) => headers['warning'] !== undefined,
      () => world.admin.post(`${maps}?dryRun=All`, full),
    );
    assert.equal(outcome(warned), '201');
    assert.equal(
      warned.headers['warning'],
      `299 - "Validation failed for ValidatingAdmissionPolicy 'warns' with binding 'warns': empty ones are better"`,
    );
    await enforce(
      'fails',
      namespace,
      { validations: [{ expression: 'object.data.a == object.data.b' }] },
      ['Deny'],
    );
    const failed = await until(
      ({ status }) => status !== 201,
      () => world.admin.post(`${maps}?dryRun=All`, full),
    );
    assert.equal(outcome(failed), '422 Invalid');
    assert.match(message(failed), /denied request: .* resulted in error: /);
  });

  test('a policy can ask what else somebody may do', async () => {
    const namespace = await world.namespace();
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    const right = "authorizer.group('').resource('secrets').namespace('default').check('update')";
    const validations = [{ expression: `${right}.allowed()`, message: 'for keepers of secrets' }];
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const place = `${rbac}/namespaces/${namespace}`;
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }];
    await world.admin.post(`${place}/roles`, { metadata: { name: 'maps' }, rules });
    await world.admin.post(`${place}/rolebindings`, {
      metadata: { name: 'maps' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'maps' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
    });
    await enforce('asks', namespace, { validations }, ['Deny']);
    const map = { metadata: { name: 'a' } };
    const refused = await until(
      (answer) => /keepers/.test(message(answer)),
      () => world.as('bob').post(`${maps}?dryRun=All`, map),
    );
    assert.equal(outcome(refused), '422 Invalid');
    assert.equal(outcome(await world.admin.post(maps, map)), '201');
  });

  test("a token that is bound to a pod names the pod's node", async () => {
    const namespace = await world.namespace();
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await world.admin.post('/api/v1/nodes', { metadata: { name: 'bound' } });
    await world.admin.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
      metadata: { name: 'robot' },
    });
    const containers = [{ name: 'a', image: 'a' }];
    const spec = { nodeName: 'bound', serviceAccountName: 'robot', containers };
    const { body: pod } = await world.admin.post(pods, { metadata: { name: 'a' }, spec });
    const boundObjectRef = {
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'a',
      uid: at(pod, 'metadata.uid'),
    };
    const { body } = await world.admin.post(
      `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: [], boundObjectRef },
      } as JsonObject,
    );
    const robot = world.withToken(String(at(body, 'status.token')));
    const self = await robot.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    const said = at(self.body, 'status.userInfo.extra') as Readonly<Record<string, unknown>>;
    assert.deepEqual(said['authentication.kubernetes.io/node-name'], ['bound']);
    assert.deepEqual(said['authentication.kubernetes.io/pod-name'], ['a']);
  });
}
