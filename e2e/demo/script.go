package main

import (
	"path/filepath"
	"strings"

	"github.com/devflow-suite/devflow/internal/store"
	"github.com/devflow-suite/devflow/internal/testkit/mockapi"
)

const request = "Invoices need refunds: add refund(invoice, amount) to src/billing/invoice.py, with tests."

// The project as it is, and what the agent makes of it.
const (
	invoice = `def total(lines):
    """Sum of quantity times price, in cents."""
    return sum(quantity * price for quantity, price in lines)
`
	invoiceTest = `from src.billing.invoice import total


def test_total_counts_every_line():
    assert total([(2, 150), (1, 99)]) == 399
`
	refund = invoice + `

def refund(invoice, amount):
    """Takes amount cents off what is paid; never more than that."""
    if amount <= 0:
        raise ValueError("amount must be positive")
    if amount > invoice["paid"]:
        raise ValueError("cannot refund more than was paid")
    invoice["paid"] -= amount
    return invoice
`
	hollowTest = `from src.billing.invoice import refund


def test_refund():
    refund({"paid": 500}, 200)
    print("refund works")
`
	realTest = `import pytest

from src.billing.invoice import refund


def test_refund_takes_the_amount_off():
    assert refund({"paid": 500}, 200) == {"paid": 300}


def test_refund_of_more_than_was_paid_is_refused():
    with pytest.raises(ValueError):
        refund({"paid": 500}, 501)
`
)

// The files of the change.
const (
	implFile = "src/billing/invoice.py"
	testFile = "tests/billing/test_refund.py"
)

// script is what the model says. Each step first shows what devflow told the model meanwhile.
func (s stage) script() mockapi.Script {
	do := func(says, path, content string) mockapi.Step {
		return mockapi.Step{Do: func(r mockapi.Request) mockapi.Step {
			s.overhear(r)
			s.n.line("agent", says)
			if path == "" {
				return mockapi.Say(says)
			}
			s.n.line("", "Write "+path)
			return mockapi.Turn(mockapi.Text(says), mockapi.Write(filepath.Join(s.project, path), content))
		}}
	}
	read := mockapi.Step{Do: func(r mockapi.Request) mockapi.Step {
		s.overhear(r)
		s.n.line("agent", "First I read the module.")
		return mockapi.Turn(mockapi.Text("First I read the module."), mockapi.Read(filepath.Join(s.project, implFile)))
	}}
	return mockapi.Script{Steps: []mockapi.Step{
		read,
		do("Now I add refund().", implFile, refund),
		do("And a test, so that everything is covered.", testFile, hollowTest),
		do("Done. Refunds work and are tested.", "", ""),
		do("Right, that test checks nothing. I write one that does.", testFile, realTest),
		do("Refunds work; the tests check the amount and the refusal.", "", ""),
	}}
}

// overhear shows what the hooks told the model since it last spoke.
func (s stage) overhear(r mockapi.Request) {
	context, block := spoken(r.Last())
	for _, text := range context {
		s.n.line("devflow", text)
	}
	if block != "" {
		s.n.verdict(false, "FAIL: devflow does not let the turn end")
		s.n.line("devflow", block)
		s.n.chapter("The agent tries again")
	}
}

// verdict is the newest one in the store.
func (s stage) verdict() (string, error) {
	db, err := store.Open(filepath.Join(s.home, ".claude", "devflow", "telemetry", "devflow.db"), store.Options{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer db.Close()
	var verdict string
	err = db.View(func(tx *store.Tx) error {
		_, err := tx.One("SELECT verdict FROM judge_runs ORDER BY n DESC LIMIT 1", nil, &verdict)
		return err
	})
	return strings.TrimSpace(verdict), err
}
