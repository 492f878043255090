import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Admission } from './keys.ts'
import { admissionRefusal, deviceKeyState } from './keys.ts'

const admitted: Admission = { hasKey: true, isRevoked: false, isUninstalled: false, isGatewayRefused: false }

test('an uninstalled device and one whose key was revoked are refused; a refused gateway stops those without a key of their own', () => {
  for (const [given, refusal] of [
    [{}, undefined],
    [{ hasKey: false }, undefined],
    [{ isUninstalled: true }, 'not installed'],
    [{ isUninstalled: true, isRevoked: true }, 'not installed'],
    [{ hasKey: false, isRevoked: true }, 'key revoked'],
    [{ isGatewayRefused: true }, undefined],
    [{ hasKey: false, isGatewayRefused: true }, 'gateway refused'],
  ] as const)
    assert.equal(admissionRefusal({ ...admitted, ...given }), refusal, JSON.stringify(given))
})

test('a key is active, revoked, or there is none', () => {
  for (const [hasKey, isRevoked, state] of [
    [true, false, 'active'],
    [false, true, 'revoked'],
    [false, false, 'none'],
  ] as const)
    assert.equal(deviceKeyState({ hasKey, isRevoked }), state)
})
