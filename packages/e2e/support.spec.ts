import { getClientSettings } from '@caretaker/contract/session.ts'
import { expect, test } from './fixtures/test.ts'

const guest = 'guest@northgate.example'

test('the support page shows contacts, videos and the build to everyone [core-2.4-58 core-2.6-1 core-2.6-2 dev-2other-1 dev-2other-2]', async ({
  pageOf,
}) => {
  for (const email of [guest, 'limited@northgate.example']) {
    const page = await pageOf(email)
    const settings = page.waitForResponse(`**${getClientSettings.path}`)
    await page.goto('/northgate/Support')
    const { support } = (await (await settings).json()) as { support: { email: string; phone: string; videos: string } }
    await expect(page.getByRole('link', { name: support.email })).toHaveAttribute('href', `mailto:${support.email}`)
    await expect(page.getByText(support.phone)).toBeVisible()
    await expect(page.getByRole('link', { name: /Video resources/ })).toHaveAttribute('href', support.videos)
  }
})

test('the build is read from its file and shown at the bottom right [core-2.6-3 core-2.6-4 dev-2other-3 dev-7telemetry-4]', async ({
  pageOf,
}) => {
  const page = await pageOf(guest)
  await page.route('**/build.json', (route) =>
    route.fulfill({ json: { number: '4711', commit: 'c0ffee0000', branch: 'evening' } }),
  )
  await page.goto('/northgate/Support')
  for (const text of ['4711', 'c0ffee0000', 'evening'])
    await expect(page.getByText(text, { exact: true })).toBeVisible()
  const box = (await page.getByText('evening', { exact: true }).boundingBox())!
  const { width, height } = page.viewportSize()!
  expect(box.x).toBeGreaterThan(width / 2)
  expect(box.y).toBeGreaterThan(height / 2)

  const own = await pageOf(guest)
  const file = own.waitForResponse('**/build.json')
  await own.goto('/northgate/Support')
  const build = (await (await file).json()) as Record<'number' | 'commit' | 'branch', string>
  expect(build).toEqual({
    number: expect.stringMatching(/^\d/),
    commit: expect.stringMatching(/./),
    branch: expect.stringMatching(/./),
  })
  const { commit } = build
  await expect(own.getByText(commit, { exact: true }).first()).toBeVisible()
})

test('the error page is available to everyone and leads back to the Dashboard [core-2.4-59 core-2.6-5 core-2.6-6 core-2.6-7]', async ({
  pageOf,
}) => {
  const page = await pageOf(guest)
  await page.goto('/northgate/Error')
  await expect(page.getByText('Woops... something has gone wrong')).toBeVisible()
  await expect(page.getByText(/support has been notified/i)).toBeVisible()
  await page
    .getByRole('main')
    .getByRole('link', { name: /dashboard/i })
    .click()
  await expect(page).toHaveURL('/northgate/Dashboard')
})

test('a signed-out user sees the welcome screen instead of support', async ({ page }) => {
  await page.goto('/northgate/Support')
  await expect(page.getByRole('button', { name: 'Login' })).toBeVisible()
  await expect(page.getByText(/Video resources/)).toBeHidden()
})
