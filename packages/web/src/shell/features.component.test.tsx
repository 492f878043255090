import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { openPortal } from '../testing/portal.tsx'

const sidebar = page.getByRole('navigation', { name: 'Main' })

test('home hubs are shown if the client has the feature [core-1-7 core-2.4-36 core-6-28]', async () => {
  const portal = await openPortal('/northgate/Dashboard', { features: ['HomeHub'] })
  await sidebar.getByRole('link', { name: 'Home hubs' }).click()
  await expect.element(page.getByRole('heading', { name: 'Home hubs' })).toBeVisible()
  expect(portal.address()).toMatch(/^\/northgate\/HomeHubs/)
})

test('home hubs are hidden if the client lacks the feature [core-1-7 core-2.4-36 core-6-28]', async () => {
  const portal = await openPortal('/northgate/Dashboard')
  await expect.element(sidebar.getByRole('link', { name: 'Dashboard' })).toBeVisible()
  await expect.element(sidebar.getByRole('link', { name: 'Home hubs' })).not.toBeInTheDocument()
  await portal.go('/northgate/HomeHubs')
  await expect.element(page.getByText("You don't have permission").first()).toBeVisible()
  await expect.element(page.getByRole('heading', { name: 'Home hubs' })).not.toBeInTheDocument()
})
