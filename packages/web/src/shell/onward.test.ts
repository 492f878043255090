import assert from 'node:assert/strict'
import { test } from 'vitest'
import { nextStep } from './onward.ts'

const elsewhere = { pathname: '/northgate/Boilers', target: undefined, redirect: undefined }
const signedIn = { state: 'signed in', subject: 'u1' } as const

test('The callback leads to a Dashboard first, which knows the target', () => {
  const signIn = { ...signedIn, landing: '/northgate/Dashboard', target: '/northgate/Boilers?page=2' }
  assert.deepEqual(nextStep({ ...elsewhere, signIn, pathname: '/callback' }), {
    href: '/northgate/Dashboard',
    target: '/northgate/Boilers?page=2',
  })
})

test('From the Dashboard the way goes on to the target', () => {
  assert.deepEqual(nextStep({ ...elsewhere, signIn: signedIn, pathname: '/northgate/Dashboard', target: '/a#b' }), {
    href: '/a#b',
  })
})

test('Without a target one stays on the Dashboard', () => {
  const signIn = { ...signedIn, landing: '/Dashboard', target: undefined }
  assert.deepEqual(nextStep({ ...elsewhere, signIn, pathname: '/callback' }), { href: '/Dashboard', target: undefined })
  assert.equal(nextStep({ ...elsewhere, signIn, pathname: '/Dashboard' }), undefined)
})

test('A sign-in that failed leads back to where it began', () => {
  const signIn = { state: 'signed out', notice: { kind: 'failed' }, target: '/northgate/Boilers' } as const
  assert.deepEqual(nextStep({ ...elsewhere, signIn, pathname: '/callback' }), { href: '/northgate/Boilers' })
  assert.deepEqual(nextStep({ ...elsewhere, signIn: { state: 'signed out' }, pathname: '/callback' }), {
    href: '/Dashboard',
  })
})

test('Nothing moves while it is not known who is there', () => {
  assert.equal(nextStep({ ...elsewhere, signIn: { state: 'loading' }, pathname: '/callback' }), undefined)
})

test('Signed out, an address is kept, and the origin stands for the Dashboard', () => {
  assert.equal(nextStep({ ...elsewhere, signIn: { state: 'signed out' } }), undefined)
  assert.deepEqual(nextStep({ ...elsewhere, signIn: { state: 'signed out' }, pathname: '/' }), { href: '/Dashboard' })
})

test('A client selected by itself opens at its own address', () => {
  assert.deepEqual(nextStep({ ...elsewhere, signIn: signedIn, pathname: '/', redirect: '/northgate/Dashboard' }), {
    href: '/northgate/Dashboard',
  })
})
