import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Situation } from './application-state.ts'
import { applicationState } from './application-state.ts'

const situation: Situation = {
  provider: 'ready',
  signedIn: true,
  tenants: ['harbour', 'northgate'],
  address: '/',
}

test('every situation is one of the four states: loading, login, client selection, app [core-2.1-1]', () => {
  const seen = new Set<string>()
  for (const provider of ['loading', 'ready'] as const)
    for (const signedIn of [false, true])
      for (const tenants of [undefined, [], ['northgate'], ['harbour', 'northgate']])
        for (const address of ['/', '/Boilers', '/northgate/Boilers', '/meridian/Boilers'])
          seen.add(applicationState({ provider, signedIn, tenants, address }).state)
  assert.deepEqual([...seen].sort(), ['app', 'client selection', 'loading', 'login'])
})

test('until the provider is initialised the state is loading, signed in or not', () => {
  assert.equal(applicationState({ ...situation, provider: 'loading' }).state, 'loading')
  assert.equal(applicationState({ ...situation, provider: 'loading', signedIn: false }).state, 'loading')
})

test('without a signed-in user the state is login, whatever the address', () => {
  assert.equal(applicationState({ ...situation, signedIn: false, address: '/northgate/Boilers' }).state, 'login')
})

test('until the tenants are known a signed-in person is neither asked nor let in', () => {
  assert.equal(applicationState({ ...situation, tenants: undefined }).state, 'loading')
})

test('a tenant in the address that the person belongs to is selected', () => {
  assert.deepEqual(applicationState({ ...situation, address: '/northgate/Boilers?page=2' }), {
    state: 'app',
    tenant: 'northgate',
  })
})

test('a tenant in the address that the person does not belong to is not selected', () => {
  assert.equal(applicationState({ ...situation, address: '/meridian/Boilers' }).state, 'client selection')
})

test("the only tenant is selected, and another tenant's address opens there without its ids", () => {
  const alone = { ...situation, tenants: ['northgate'] }
  assert.deepEqual(applicationState({ ...alone, address: '/' }), {
    state: 'app',
    tenant: 'northgate',
    redirect: '/northgate/Dashboard',
  })
  assert.deepEqual(applicationState({ ...alone, address: '/harbour/Boilers/1' }), {
    state: 'app',
    tenant: 'northgate',
    redirect: '/northgate/Boilers',
  })
})

test('a person without tenants stays at the client selection', () => {
  assert.equal(applicationState({ ...situation, tenants: [] }).state, 'client selection')
})

test('the root opens the tenant selected last in the tab, as long as the person belongs to it', () => {
  assert.deepEqual(applicationState({ ...situation, remembered: 'harbour' }), {
    state: 'app',
    tenant: 'harbour',
    redirect: '/harbour/Dashboard',
  })
  assert.equal(applicationState({ ...situation, remembered: 'meridian' }).state, 'client selection')
  assert.equal(applicationState({ ...situation, remembered: 'harbour', address: '/Boilers' }).state, 'client selection')
})

test('authentication is loading until the provider is initialised, then signed in or not [core-4.4-1]', () => {
  for (const signedIn of [false, true]) {
    assert.equal(applicationState({ ...situation, provider: 'loading', signedIn }).state, 'loading')
    assert.equal(applicationState({ ...situation, signedIn }).state, signedIn ? 'client selection' : 'login')
  }
})
