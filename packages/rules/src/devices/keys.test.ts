import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Admission } from './keys.ts'
import { admissionRefusal, deviceKeyState } from './keys.ts'

const admitted: Admission = { hasKey: true, isRevoked: false, isUninstalled: false, isGatewayRefused: false }

test('uninstalled devices and revoked keys are refused; a refused gateway blocks devices without their own key', () => {
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

test('a key is active, revoked or missing', () => {
  for (const [hasKey, isRevoked, state] of [
    [true, false, 'active'],
    [false, true, 'revoked'],
    [false, false, 'none'],
  ] as const)
    assert.equal(deviceKeyState({ hasKey, isRevoked }), state)
})
