import { useEffect, useRef } from 'react'
import { useLocation } from '@tanstack/react-router'
import { BulkDialog } from './bulk-dialog.tsx'
import { HomesDialog } from './homes-dialog.tsx'
import type { OpenAction } from './open.ts'
import { openAction } from './open.ts'
import { RepairDialog } from './repair-dialog.tsx'
import { ResetAutofillDialog, ResetBoilerDialog } from './reset-dialog.tsx'
import { AccessRightsDialog, UninstallDialog, UpdateTagsDialog } from './single-dialogs.tsx'

/** Bundled with this file, because a repair is often entered without a connection. */
const dialogs = {
  repair: RepairDialog,
  'update tags': UpdateTagsDialog,
  'update access rights tag': AccessRightsDialog,
  'reset boiler': ResetBoilerDialog,
  'reset autofill': ResetAutofillDialog,
  uninstall: UninstallDialog,
} as const

const close = () => openAction(undefined)

/** The dialog of the requested action; it closes with its page. */
export function ActionDialogs({ opened }: { opened: OpenAction }) {
  const pathname = useLocation({ select: (location) => location.pathname })
  const at = useRef(pathname)
  useEffect(() => {
    if (at.current !== pathname) close()
  }, [pathname])
  if (opened.kind === 'single') {
    const SingleDialog = dialogs[opened.action]
    return <SingleDialog key={opened.target.deviceId} target={opened.target} onClose={close} />
  }
  if (opened.kind === 'homes') {
    const { onDone } = opened
    return (
      <HomesDialog
        {...opened}
        onClose={(done) => {
          close()
          if (done) onDone?.()
        }}
      />
    )
  }
  const { action, picked, count, onDone } = opened
  return (
    <BulkDialog
      action={action}
      picked={picked}
      count={count}
      onClose={(done) => {
        close()
        if (done) onDone?.(action)
      }}
    />
  )
}
