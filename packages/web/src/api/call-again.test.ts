import assert from 'node:assert/strict'
import { afterAll, test } from 'vitest'
import { removeAuthenticatorApp } from '@caretaker/contract/account.ts'
import { call, provideTokens } from './call.ts'

const browsers = globalThis.fetch
afterAll(() => {
  globalThis.fetch = browsers
})

const message = 'Sign in again to confirm that it is you.'
const challenge = 'Bearer realm="Caretaker", error="insufficient_user_authentication", max_age="600"'
const refusal = () => Response.json({ message }, { status: 401, headers: { 'www-authenticate': challenge } })

test('a call that needs a recent sign-in is repeated once the person has signed in again, and refused if they have not', async () => {
  const state = { isRecent: false, confirms: true, isSignedOut: false, sent: 0 }
  globalThis.fetch = async () => {
    state.sent++
    return state.isRecent ? new Response(null, { status: 204 }) : refusal()
  }
  provideTokens({
    current: async () => 'a.bearer.token',
    instead: async () => 'another.bearer.token',
    confirm: async () => (state.isRecent = state.confirms),
    refused: () => void (state.isSignedOut = true),
  })
  await call(removeAuthenticatorApp, {})
  assert.equal(state.sent, 2)
  Object.assign(state, { isRecent: false, confirms: false })
  await assert.rejects(call(removeAuthenticatorApp, {}), {
    complaint: { status: 401, message, domainErrors: [], validationErrors: [] },
  })
  assert.deepEqual([state.sent, state.isSignedOut], [3, false])
})

test('a call whose token was renewed and which then needs a recent sign-in asks the person, who stays signed in', async () => {
  const state = { sent: 0, isSignedOut: false }
  globalThis.fetch = async () => {
    state.sent++
    if (state.sent === 1) return Response.json({ message: 'Please sign in.' }, { status: 401 })
    return state.sent === 2 ? refusal() : new Response(null, { status: 204 })
  }
  provideTokens({
    current: async () => 'a.bearer.token',
    instead: async () => 'another.bearer.token',
    confirm: async () => true,
    refused: () => void (state.isSignedOut = true),
  })
  await call(removeAuthenticatorApp, {})
  assert.deepEqual(state, { sent: 3, isSignedOut: false })
})
