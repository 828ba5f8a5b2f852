package ask

import (
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
)

// theme is the look of the questions: the terminal's own sixteen colours, few of them.
func theme(dark bool) *huh.Styles {
	s := huh.ThemeBase(dark)
	s.Form.Base = lipgloss.NewStyle().PaddingTop(1)
	accent, quiet := lipgloss.Color("6"), lipgloss.Color("8")
	for _, f := range [...]*huh.FieldStyles{&s.Focused, &s.Blurred} {
		f.Base = lipgloss.NewStyle()
		f.Title = lipgloss.NewStyle().Bold(true)
		f.Description = lipgloss.NewStyle()
		f.ErrorIndicator = lipgloss.NewStyle()
		f.ErrorMessage = lipgloss.NewStyle().Foreground(lipgloss.Color("1"))
		f.SelectSelector = lipgloss.NewStyle().Foreground(accent).SetString("> ")
		f.SelectedOption = lipgloss.NewStyle().Foreground(accent)
		f.TextInput.Prompt = lipgloss.NewStyle().Foreground(accent)
		f.TextInput.Placeholder = lipgloss.NewStyle().Foreground(quiet)
		f.FocusedButton = lipgloss.NewStyle().Foreground(accent).Border(lipgloss.Border{Left: "[", Right: "]"}, false, true, false, true).BorderForeground(accent).Padding(0, 1)
		f.BlurredButton = lipgloss.NewStyle().Padding(0, 2)
	}
	s.Help.ShortKey = lipgloss.NewStyle().Foreground(quiet)
	s.Help.ShortDesc = lipgloss.NewStyle().Foreground(quiet)
	s.Help.ShortSeparator = lipgloss.NewStyle().Foreground(quiet)
	return s
}
