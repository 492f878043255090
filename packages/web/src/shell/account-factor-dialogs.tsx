import { Button, CopyButton } from '@mantine/core'
import { startRegistration } from '@simplewebauthn/browser'
import { useQuery } from '@tanstack/react-query'
import { QRCodeSVG } from 'qrcode.react'
import { AppCode, PasskeyName } from '@caretaker/contract/account.ts'
import {
  addAuthenticatorApp,
  addPasskey,
  beginAuthenticatorApp,
  beginPasskey,
} from '@caretaker/contract/calls/account.ts'
import { CallError } from '@caretaker/contract/error-texts.ts'
import { browserName } from '@caretaker/rules/identity/browser-name.ts'
import { call } from '../api/call.ts'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/forms/fields.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { useSubmission, useValidForm } from '../ui/forms/use-form.ts'
import { InfoMessage } from '../ui/info-message.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { z } from '../ui/zod.ts'
import classes from './account-security.module.css'

interface AddProps {
  /** With recovery codes for a person who had none. */
  onAdded: (recoveryCodes: readonly string[] | null) => void
  onClose: () => void
}

const nothing = { status: 0, domainErrors: [], validationErrors: [] }

const NewPasskey = z.object({ name: PasskeyName })

/** Asks for the name of a passkey, and has the device create it. */
export function AddPasskeyDialog({ onAdded, onClose }: AddProps) {
  const form = useValidForm({ schema: NewPasskey, defaultValues: { name: browserName(navigator.userAgent) } })
  const add = async (name: string) => {
    const options = await call(beginPasskey, {})
    const response = await startRegistration({
      optionsJSON: options as unknown as Parameters<typeof startRegistration>[0]['optionsJSON'],
    }).catch(() => {
      throw new CallError({ ...nothing, message: 'No passkey was created. Please try again.' })
    })
    const body = { name, response: response as unknown as Record<string, unknown> }
    onAdded((await call(addPasskey, { body })).recoveryCodes)
  }
  const submission = useSubmission(
    form,
    ({ name }) => [add(name)],
    () => {},
  )
  return (
    <FormDialog title="Add passkey" verb="Continue" form={form} submission={submission} onClose={onClose}>
      <p>Your device asks for your fingerprint, your face or its PIN. A security key works too.</p>
      <TextField
        form={form}
        name="name"
        label="Name"
        description="Distinguishes this passkey from others."
        required
        first
      />
    </FormDialog>
  )
}

const FirstCode = z.object({ code: AppCode })

/** Shows the key of an authenticator app, and asks for the first code that it shows. */
export function AddAppDialog({ onAdded, onClose }: AddProps) {
  const { data, isError, refetch } = useQuery({
    queryKey: ['account', 'new authenticator app'],
    queryFn: () => call(beginAuthenticatorApp, {}),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  })
  const form = useValidForm({ schema: FirstCode, defaultValues: { code: '' } })
  const add = async (code: string) => onAdded((await call(addAuthenticatorApp, { body: { code } })).recoveryCodes)
  const submission = useSubmission(
    form,
    ({ code }) => [add(code)],
    () => {},
  )
  return (
    <FormDialog title="Add authenticator app" verb="Add" form={form} submission={submission} onClose={onClose}>
      {data ? (
        <>
          <p>Scan this code with your authenticator app, or type in the key.</p>
          <div className={classes.code}>
            {/* Dark on light in both themes: many cameras do not read an inverted code. */}
            <QRCodeSVG
              value={data.address}
              size={184}
              marginSize={4}
              fgColor="#14181f"
              title="QR code of the key shown below"
            />
          </div>
          <p>
            Key: <code>{data.key.match(/.{1,4}/g)?.join(' ')}</code>
          </p>
          <TextField
            form={form}
            name="code"
            label="Code that the app shows"
            autoComplete="one-time-code"
            maxLength={10}
            required
            first
          />
        </>
      ) : isError ? (
        <Failed onRetry={() => void refetch()} />
      ) : (
        <Loading />
      )}
    </FormDialog>
  )
}

/** Recovery codes, shown once. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog
      title="Your recovery codes"
      wide
      onClose={onClose}
      actions={
        <>
          <CopyButton value={codes.join('\n')}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button onClick={onClose}>Done</Button>
        </>
      }
    >
      <InfoMessage type="warning">Save them now: they are not shown again.</InfoMessage>
      <p>Each code works once in place of your second factor, for instance when you have lost your phone.</p>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
