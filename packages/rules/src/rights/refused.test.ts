import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Actor } from '../identity/actor.ts'
import { whyRefused } from './refused.ts'
import type { Role } from '../identity/roles.ts'

const actor = (role: Role, tags: string[] = []): Actor => ({
  userId: 'u1',
  memberId: 'member',
  tenant: 'northgate',
  role,
  tags,
  features: [],
  capabilities: [],
})

test('a refusal names a remedy, and never a role that would not help', () => {
  assert.match(whyRefused(actor('Manager', ['east']), ['see settings']), /access rights tags/)
  assert.match(whyRefused(actor('LightingEngineer'), ['see boilers']), /another role/)
  assert.match(whyRefused(actor('Guest', ['east']), ['administer users']), /another role/)
  assert.match(whyRefused(actor('Manager'), ['see managed service']), /not enabled/)
  assert.match(whyRefused(actor('Manager'), ['see properties']), /not enabled/)
  // No one in the client can assign the roles admin and developer.
  for (const one of [actor('Manager'), actor('Manager', ['east'])])
    assert.equal(whyRefused(one, ['see audit']), 'Your role in this client does not include this page.')
  assert.equal(whyRefused(actor('Admin'), ['see mailbox']), 'Your role in this client does not include this page.')
})
