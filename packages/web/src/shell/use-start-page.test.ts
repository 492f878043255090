import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { SignIn } from '../api/session.ts'
import { asksForStart } from './use-start-page.ts'

const from = (target: string | undefined): SignIn => ({
  state: 'signed in',
  subject: 'me',
  landing: '/Dashboard',
  target,
})

test('a sign-in that asks for no page opens the start page; one that asks for a page opens that', () => {
  for (const target of [
    undefined,
    '/dashboard',
    '/Dashboard',
    '/northgate',
    '/northgate/Dashboard',
    '/northgate/Dashboard?a=b',
  ])
    assert.equal(asksForStart(from(target)), true, target)
  for (const target of [
    '/northgate/Properties',
    '/Boilers',
    '/northgate/Boilers/Listing/bcm-failed',
    '/northgate/Nowhere',
  ])
    assert.equal(asksForStart(from(target)), false, target)
})

test('a page opened while signed in stays open', () => {
  assert.equal(asksForStart({ state: 'signed in', subject: 'me' }), false)
  assert.equal(asksForStart({ state: 'signed out' }), false)
})
