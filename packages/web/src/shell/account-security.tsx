import { useState } from 'react'
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Passkey } from '@caretaker/contract/account.ts'
import { removeAuthenticatorApp, removePasskey, renewRecoveryCodes } from '@caretaker/contract/calls/account.ts'
import { call } from '../api/call.ts'
import { textsOf } from '../api/errors.ts'
import { dateTimeText } from '../ui/age.ts'
import { lazily } from '../ui/lazily.tsx'
import { Card } from '../ui/card.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { Failed, LoadingLines } from '../ui/states.tsx'
import { useZone } from '../ui/zone.tsx'
import { accountSecurityQuery } from './account-queries.ts'
import classes from './account-security.module.css'

const dialogs = () => import('./account-factor-dialogs.tsx')
const AddPasskeyDialog = lazily(async () => (await dialogs()).AddPasskeyDialog)
const AddAppDialog = lazily(async () => (await dialogs()).AddAppDialog)
const RecoveryCodesDialog = lazily(async () => (await dialogs()).RecoveryCodesDialog)

type Opened =
  | { dialog: 'add passkey' | 'add app' | 'remove app' | 'renew codes' }
  | { dialog: 'remove passkey'; passkey: Passkey }
  | { dialog: 'codes'; codes: readonly string[] }

/** The second factors of the person, and what they can do about them. */
export function AccountSecurity() {
  const zone = useZone()
  const { data, isError, refetch } = useQuery(accountSecurityQuery)
  const [opened, open] = useState<Opened>()
  if (data && !data.isAvailable) return undefined
  const title = 'Second factor'
  if (!data)
    return (
      <Card title={title} className={classes.card}>
        {isError ? <Failed onRetry={() => void refetch()} /> : <LoadingLines lines={3} />}
      </Card>
    )
  const { passkeys, authenticatorAppAddedAt: appAddedAt, recoveryCodesLeft, isRequired } = data
  const hasNone = !passkeys.length && appAddedAt === null
  return (
    <Card title={title} className={classes.card}>
      <p className={classes.text}>
        {hasNone
          ? 'A second factor keeps your account safe when someone learns your password.'
          : `${recoveryCodesLeft} of your recovery codes ${recoveryCodesLeft === 1 ? 'is' : 'are'} unused.`}
        {isRequired && ' Your role requires a second factor.'}
      </p>
      <ul className={classes.list}>
        {passkeys.map((passkey) => (
          <li key={passkey.id} className={classes.row}>
            <span className={classes.what}>
              <b>{passkey.name}</b>
              <span className={classes.dimmed}>
                Passkey, added {dateTimeText(passkey.createdAt, zone)}
                {passkey.lastUsedAt !== null && `, last used ${dateTimeText(passkey.lastUsedAt, zone)}`}
              </span>
            </span>
            <Button
              variant="default"
              aria-label={`Remove passkey ${passkey.name}`}
              onClick={() => open({ dialog: 'remove passkey', passkey })}
            >
              Remove
            </Button>
          </li>
        ))}
        {appAddedAt !== null && (
          <li className={classes.row}>
            <span className={classes.what}>
              <b>Authenticator app</b>
              <span className={classes.dimmed}>Added {dateTimeText(appAddedAt, zone)}</span>
            </span>
            <Button
              variant="default"
              aria-label="Remove authenticator app"
              onClick={() => open({ dialog: 'remove app' })}
            >
              Remove
            </Button>
          </li>
        )}
      </ul>
      <div className={classes.actions}>
        <Button variant="default" onClick={() => open({ dialog: 'add passkey' })}>
          Add passkey
        </Button>
        <Button variant="default" onClick={() => open({ dialog: 'add app' })}>
          {appAddedAt === null ? 'Add authenticator app' : 'Replace authenticator app'}
        </Button>
        {!hasNone && (
          <Button variant="default" onClick={() => open({ dialog: 'renew codes' })}>
            New recovery codes
          </Button>
        )}
      </div>
      <Dialogs opened={opened} open={open} />
    </Card>
  )
}

interface DialogsProps {
  opened: Opened | undefined
  open: (next: Opened | undefined) => void
}

function Dialogs({ opened, open }: DialogsProps) {
  const queryClient = useQueryClient()
  const close = () => open(undefined)
  const refresh = () => queryClient.invalidateQueries({ queryKey: accountSecurityQuery.queryKey })
  const added = (codes: readonly string[] | null) => {
    open(codes ? { dialog: 'codes', codes } : undefined)
    void refresh()
  }
  const done = (action: Promise<unknown>) => action.then(() => refresh().then(() => true as const), textsOf)
  if (!opened) return undefined
  if (opened.dialog === 'add passkey') return <AddPasskeyDialog onAdded={added} onClose={close} />
  if (opened.dialog === 'add app') return <AddAppDialog onAdded={added} onClose={close} />
  if (opened.dialog === 'codes') return <RecoveryCodesDialog codes={opened.codes} onClose={close} />
  if (opened.dialog === 'renew codes')
    return (
      <ConfirmDialog
        title="New recovery codes"
        verb="Get new codes"
        onConfirm={() =>
          call(renewRecoveryCodes, {}).then(({ recoveryCodes }) => {
            added(recoveryCodes)
            return true as const
          }, textsOf)
        }
        onDone={() => undefined}
        onClose={close}
      >
        <p>Your current codes will stop working.</p>
      </ConfirmDialog>
    )
  const isPasskey = opened.dialog === 'remove passkey'
  return (
    <ConfirmDialog
      title={isPasskey ? `Remove passkey ${opened.passkey.name}` : 'Remove authenticator app'}
      verb="Remove"
      danger
      onConfirm={() =>
        done(
          isPasskey
            ? call(removePasskey, { params: { passkeyId: opened.passkey.id } })
            : call(removeAuthenticatorApp, {}),
        )
      }
      onClose={close}
    >
      <p>You can no longer sign in with it. Browsers that were remembered ask for a second factor again.</p>
    </ConfirmDialog>
  )
}
