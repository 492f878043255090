import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { getClientSettings } from '@caretaker/contract/session.ts'
import { answer } from '../testing/network.ts'
import { clientOf, openPortal, settings } from '../testing/portal.tsx'

const bar = page.getByRole('note', { name: 'Outbound messages' })
const off = answer(getClientSettings, { ...settings, outbound: false })
const text = 'Trial installation: e-mails, webhooks and commands to devices are not sent (CARETAKER_OUTBOUND is off).'

test('while outbound messages are off, every page shows it, before and after a client is selected', async () => {
  const bothClients = { tenants: [clientOf('northgate'), clientOf('harbour')] }
  const portal = await openPortal('/', { answers: [off], session: bothClients })
  await expect.element(page.getByRole('heading', { name: 'Select Client' })).toBeVisible()
  await expect.element(bar).toMatchTextContent(text)
  for (const address of ['/northgate/Support', '/northgate/EmergencyLights']) {
    await portal.go(address)
    await expect.element(page.getByRole('main').getByRole('heading').first()).toBeVisible()
    await expect.element(bar).toMatchTextContent(text)
  }
  await openPortal('/', { answers: [off], signedOut: true })
  await expect.element(bar).toMatchTextContent(text)
})

test('other installations have no such bar', async () => {
  await openPortal('/northgate/Support')
  await expect.element(page.getByRole('main').getByRole('heading').first()).toBeVisible()
  await expect.element(bar).not.toBeInTheDocument()
})
