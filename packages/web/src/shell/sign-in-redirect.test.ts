import assert from 'node:assert/strict'
import { test } from 'vitest'
import { nextStep } from './sign-in-redirect.ts'

const elsewhere = { pathname: '/northgate/Boilers', target: undefined, redirect: undefined }
const signedIn = { state: 'signed in', subject: 'u1' } as const

test('The callback opens a Dashboard first, which knows the target', () => {
  const signIn = { ...signedIn, landing: '/northgate/Dashboard', target: '/northgate/Boilers?page=2' }
  assert.deepEqual(nextStep({ ...elsewhere, signIn, pathname: '/callback' }), {
    href: '/northgate/Dashboard',
    target: '/northgate/Boilers?page=2',
  })
})

test('The Dashboard redirects to the target', () => {
  assert.deepEqual(nextStep({ ...elsewhere, signIn: signedIn, pathname: '/northgate/Dashboard', target: '/a#b' }), {
    href: '/a#b',
  })
})

test('Without a target the Dashboard stays open', () => {
  const signIn = { ...signedIn, landing: '/Dashboard', target: undefined }
  assert.deepEqual(nextStep({ ...elsewhere, signIn, pathname: '/callback' }), { href: '/Dashboard', target: undefined })
  assert.equal(nextStep({ ...elsewhere, signIn, pathname: '/Dashboard' }), undefined)
})

test('A failed sign-in returns to the page where it began', () => {
  const signIn = { state: 'signed out', notice: { kind: 'failed' }, target: '/northgate/Boilers' } as const
  assert.deepEqual(nextStep({ ...elsewhere, signIn, pathname: '/callback' }), { href: '/northgate/Boilers' })
  assert.deepEqual(nextStep({ ...elsewhere, signIn: { state: 'signed out' }, pathname: '/callback' }), {
    href: '/Dashboard',
  })
})

test('There is no redirect while the user is unknown', () => {
  assert.equal(nextStep({ ...elsewhere, signIn: { state: 'loading' }, pathname: '/callback' }), undefined)
})

test('While signed out, the address is kept, and the origin means the Dashboard', () => {
  assert.equal(nextStep({ ...elsewhere, signIn: { state: 'signed out' } }), undefined)
  assert.deepEqual(nextStep({ ...elsewhere, signIn: { state: 'signed out' }, pathname: '/' }), { href: '/Dashboard' })
})

test('An automatically selected client opens at its own address', () => {
  assert.deepEqual(nextStep({ ...elsewhere, signIn: signedIn, pathname: '/', redirect: '/northgate/Dashboard' }), {
    href: '/northgate/Dashboard',
  })
})
