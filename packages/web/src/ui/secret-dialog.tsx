import { Button, CopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '../icons/index.ts'
import { Dialog } from './dialog.tsx'
import { InfoMessage } from './info-message.tsx'
import classes from './secret-dialog.module.css'

interface SecretDialogProps {
  title: string
  secret: string
  /** Instructions for it. */
  hint: string
  onClose: () => void
}

/** A secret that is shown once, to be copied. */
export function SecretDialog({ title, secret, hint, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} wide onClose={onClose} actions={<Button onClick={onClose}>Done</Button>}>
      <InfoMessage type="warning">Copy it now: it is not shown again.</InfoMessage>
      <div className={classes.secret}>
        <code data-secret>{secret}</code>
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </div>
      <p className={classes.hint}>{hint}</p>
    </Dialog>
  )
}
