import './style/index.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { showTheme } from './state/theme.ts'

showTheme()
const root = document.getElementById('explorer')
if (root !== null) createRoot(root).render(<App />)
