import { expect, test } from 'vitest'
import type { SsoConnection, SsoDomain } from '@caretaker/contract/single-sign-on.ts'
import {
  addSsoConnection,
  addSsoDomain,
  getSsoConnections,
  removeSsoConnection,
  replaceSsoSecret,
  testSsoConnection,
  updateSsoConnection,
  verifySsoDomain,
} from '@caretaker/contract/single-sign-on.ts'
import { expectNoViolations } from '../../../testing/axe.ts'
import { expectCount } from '../../../testing/expect.ts'
import { dialog } from '../../../testing/list-screen.ts'
import type { ServerAnswer } from '../../../testing/network.ts'
import { answer, refuse } from '../../../testing/network.ts'
import { openPortal } from '../../../testing/portal.tsx'
import { region } from '../../../testing/screen.ts'

const id = '0d8a6c1e-3f5b-4c2d-9e7a-000000000001'
const card = region('Single sign-on')
const redirectUri = `https://portal.example/login/sso/callback/${id}`
const connection: SsoConnection = {
  ...{ id, name: 'Northgate ID', issuer: 'https://id.northgate.example', clientId: 'caretaker', groupClaim: 'groups' },
  ...{ isRequired: true, checksSecondFactor: false, createsMembers: true },
  ...{ createdAt: '2026-11-01T09:00:00Z', createdBy: 'Ann' },
  ...{ redirectUri, backChannelUri: `https://portal.example/login/sso/back-channel/${id}`, domains: [] },
}
const domain: SsoDomain = {
  ...{ domain: 'northgate.example', record: 'caretaker-verification=abc', verifiedAt: null },
  ...{ checkedAt: '2026-11-12T10:15:00Z', isByOperator: false, fault: null, missingSince: null, endsAt: null },
}
const listed = (...results: SsoConnection[]) => answer(getSsoConnections, { isEmbedded: true, results })
const open = (...answers: ServerAnswer[]) =>
  openPortal('/northgate/Settings/signIn', { role: 'Manager', answers: [listed(connection), ...answers] })

test('a manager adds a connection with its secret, which is required', async () => {
  const sent: unknown[] = []
  await open(
    listed(),
    answer(addSsoConnection, ({ body }) => {
      sent.push(body)
      return connection
    }),
  )
  await card.getByRole('button', { name: 'Add connection' }).click()
  await dialog.getByLabelText('Name').fill('Northgate ID')
  await dialog.getByLabelText('Issuer').fill('https://id.northgate.example')
  await dialog.getByLabelText('Client ID').fill('caretaker')
  const add = dialog.getByRole('button', { name: 'Add' })
  await expect.element(add).toBeDisabled()
  await dialog.getByLabelText('Client secret').fill('a secret')
  await expectCount(dialog.getByLabelText('Users of its domains cannot use a password'), 0)
  await dialog.getByLabelText('The provider checks a second factor').click()
  await add.click()
  await expect.poll(() => dialog.query()?.textContent ?? '', { timeout: 3000 }).toBe('')
  expect(sent).toEqual([
    {
      ...{ name: 'Northgate ID', issuer: 'https://id.northgate.example', clientId: 'caretaker' },
      ...{ clientSecret: 'a secret', isRequired: false, checksSecondFactor: true, createsMembers: false },
      groupClaim: 'groups',
    },
  ])
})

test('editing keeps the secret unless a new one is entered, and shows the fault of a field', async () => {
  const secrets: string[] = []
  await open(
    answer(updateSsoConnection, connection),
    answer(replaceSsoSecret, ({ body }) => void secrets.push(body.clientSecret)),
  )
  await card.getByRole('button', { name: 'Edit: Northgate ID' }).click()
  await expect.element(dialog.getByLabelText('New client secret')).toHaveValue('')
  await dialog.getByLabelText('Name').fill('Northgate')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectCount(dialog, 0)
  expect(secrets).toEqual([])
  await card.getByRole('button', { name: 'Edit: Northgate ID' }).click()
  await dialog.getByLabelText('New client secret').fill('another secret')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expectCount(dialog, 0)
  expect(secrets).toEqual(['another secret'])
})

test('a domain shows its DNS record until it is verified', async () => {
  let shown = { ...domain, checkedAt: null } as SsoDomain
  await open(
    answer(getSsoConnections, () => ({
      isEmbedded: true,
      results: [{ ...connection, domains: [shown] }],
    })),
    answer(verifySsoDomain, () => {
      shown = shown.checkedAt ? { ...domain, verifiedAt: '2026-11-12T10:20:00Z' } : { ...domain, fault: 'no record' }
      return shown
    }),
  )
  await expect.element(card.getByText(redirectUri)).toBeVisible()
  await expect.element(card.getByText('Not verified yet')).toBeVisible()
  await expect.element(card.getByText('caretaker-verification=abc')).toBeVisible()
  await card.getByRole('button', { name: 'Verify: northgate.example' }).click()
  await expect.element(card.getByText('Not found yet, checked 12/11/2026 10:15')).toBeVisible()
  await expect.element(card.getByText('The domain has no TXT record with this text.')).toBeVisible()
  await card.getByRole('button', { name: 'Verify: northgate.example' }).click()
  await expect.element(card.getByText('Verified 12/11/2026')).toBeVisible()
  await expectCount(card.getByText('caretaker-verification=abc'), 0)
  await expectNoViolations(card.element())
})

test('a verified domain shows why and since when its record is missing, until it is found again', async () => {
  const verified: SsoDomain = { ...domain, verifiedAt: '2026-11-02T09:00:00Z' }
  const missing = { missingSince: '2026-11-12T10:15:00Z', endsAt: '2026-11-19T10:15:00Z' }
  let shown: SsoDomain = { ...verified, ...missing, fault: 'no record' }
  await open(
    answer(getSsoConnections, () => ({ isEmbedded: true, results: [{ ...connection, domains: [shown] }] })),
    answer(verifySsoDomain, () => shown),
  )
  const check = async (next: SsoDomain) => {
    shown = next
    await card.getByRole('button', { name: 'Verify: northgate.example' }).click()
  }
  await expect.element(card.getByText('Verified 02/11/2026')).toBeVisible()
  await expect.element(card.getByText(/The DNS record is missing, noticed 12\/11\/2026 10:15/)).toBeVisible()
  await expect.element(card.getByText(/sign in with a password from 19\/11\/2026 10:15/)).toBeVisible()
  await expect.element(card.getByText('caretaker-verification=abc')).toBeVisible()
  await expectNoViolations(card.element())
  await check({ ...shown, fault: 'no domain' })
  await expect.element(card.getByText(/The domain does not exist, noticed/)).toBeVisible()
  await check({ ...shown, verifiedAt: null, endsAt: null })
  await expect.element(card.getByText('No longer verified: record missing since 12/11/2026')).toBeVisible()
  await check({ ...verified, fault: 'no answer' })
  await expect.element(card.getByText(/name servers of the domain did not respond.*12\/11\/2026 10:15/)).toBeVisible()
  await expectCount(card.getByRole('button', { name: 'Verify: northgate.example' }), 0)
})

test('a domain that the server refuses shows why', async () => {
  const message = 'must be your own domain: anyone can get an address at this one'
  await open(refuse(addSsoDomain, 'invalid', { fields: { domain: message } }))
  await card.getByRole('button', { name: 'Add domain' }).click()
  await dialog.getByLabelText('Domain').fill('gmail.com')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect.element(dialog.getByText(message)).toBeVisible()
})

test('the test of a connection states what the provider supports, or why it cannot be used', async () => {
  let fault: string | null = null
  await open(
    answer(testSsoConnection, () => ({
      ...{ fault, authorizationEndpoint: 'https://id.northgate.example/auth', hasSignOut: true, hasBackChannel: false },
    })),
  )
  await card.getByRole('button', { name: 'Test: Northgate ID' }).click()
  await expect.element(card.getByText(/can be reached. It supports sign-out/)).toBeVisible()
  fault = 'There is no such host.'
  await card.getByRole('button', { name: 'Test: Northgate ID' }).click()
  await expect.element(card.getByText('The provider cannot be used. There is no such host.')).toBeVisible()
})

test('a connection is removed after a question', async () => {
  let removed = 0
  await open(answer(removeSsoConnection, () => void removed++))
  await card.getByRole('button', { name: 'Delete: Northgate ID' }).click()
  await expect.element(dialog.getByText(/People who signed in with it are signed out/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expectCount(dialog, 0)
  expect(removed).toBe(1)
})

test('with an identity provider of the installation the page explains where to set it up', async () => {
  await open(answer(getSsoConnections, { isEmbedded: false, results: [] }))
  await expect.element(card.getByText(/identity provider of this installation/)).toBeVisible()
  await expectCount(card.getByRole('button'), 0)
})
