import { Button, CopyButton } from '@mantine/core'
import classes from './sign-in.module.css'

/** A text to be entered in another program. */
export function CopyText({ label, text }: { label: string; text: string }) {
  return (
    <div className={classes.copied}>
      <span className={classes.label}>{label}</span>
      <code>{text}</code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" size="compact-sm" aria-label={`Copy: ${label}`} onClick={copy}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </div>
  )
}
